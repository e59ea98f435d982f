# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options and fixtures of the integration tests: the built tools, as a user
runs them, on small inputs of the project and on data from outside.

The tools are those of $DIFFUSE_BUILD_DIR, else of PATH or a build folder of the
tree. $DIFFUSE_CASES_DIR and $DIFFUSE_MODELS_DIR name folders with MLIR files
that are not part of the project; tests that need an absent one are skipped.
"""
import os
import pathlib

import pytest

import harness


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true",
                     help="also run tests that tune or lower large networks")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: runs with --slow"))


def pytest_generate_tests(metafunc):
    """A `model_file` argument runs for every file of the models folder."""
    if "model_file" not in metafunc.fixturenames:
        return
    folder = data_folder("MODELS")
    files = sorted(folder.rglob("*.mlir")) if folder else []
    names = [str(f.relative_to(folder)) for f in files]
    absent = pytest.param(None, marks=pytest.mark.skip(reason="DIFFUSE_MODELS_DIR is not set"))
    metafunc.parametrize("model_file", files or [absent], ids=names or ["absent"])


def data_folder(kind):
    """The folder that DIFFUSE_<kind>_DIR names, or None."""
    value = os.environ.get(f"DIFFUSE_{kind}_DIR")
    return pathlib.Path(value) if value and pathlib.Path(value).is_dir() else None


@pytest.fixture(scope="session")
def cases():
    folder = data_folder("CASES")
    if folder is None:
        pytest.skip("DIFFUSE_CASES_DIR is not set")
    return folder


@pytest.fixture(scope="session")
def inputs():
    """The project's own small inputs."""
    return pathlib.Path(__file__).with_name("inputs")


@pytest.fixture
def tool(tmp_path):
    """run(name, arguments...) in a folder of the test's own."""
    def run(name, *arguments, **options):
        return harness.run_tool(name, arguments, cwd=tmp_path, **options)
    return run
