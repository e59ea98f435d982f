# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The importer in an environment of the versions it pins: its own tests there,
and a whole network from ONNX. Skipped where the package index is out of reach."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

from diffuse_mlir import environment

HERE = pathlib.Path(__file__).resolve().parent
PINNED = HERE / "requirements-importer.txt"


def pins(path):
    return set(re.findall(r"^[\w-]+==\S+", path.read_text(), re.MULTILINE))


@pytest.fixture(scope="module")
def python():
    try:
        return environment.environment_python("test-import", PINNED)
    except environment.EnvironmentFailure as failure:
        pytest.skip(str(failure))


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(HERE.parent)})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_what_is_tested_is_what_users_get():
    assert pins(environment.REQUIREMENTS) <= pins(PINNED)


def test_the_importers_tests_pass_where_it_runs(python):
    out = run(python, "-m", "pytest", "-c", HERE.parent / "pyproject.toml", "-q",
              HERE / "test_onnx_import.py", HERE / "test_networks.py")
    assert "skipped" not in out, out


def test_a_network_imported_is_the_network_written(python, tmp_path):
    """ResNet-18 through ONNX has the parameters and convolutions of ResNet-18
    written as linalg; another Python than the environment's starts the import."""
    run(python, "-m", "diffuse_mlir.networks", "resnet18", "-o", tmp_path / "own.mlir", "--onnx", tmp_path / "r.onnx")
    run(python, "-m", "diffuse_mlir.onnx_import", tmp_path / "r.onnx", "-o", tmp_path / "imported.mlir")
    own, imported = ((tmp_path / f"{n}.mlir").read_text() for n in ("own", "imported"))
    names = re.findall(r'diffuse\.parameter = "([^"]*)"', own)
    assert re.findall(r'diffuse\.parameter = "([^"]*)"', imported) == names and len(names) == 42
    assert imported.count("linalg.conv_2d_nchw_fchw") == 20
    assert (tmp_path / "own.safetensors").read_bytes() == (tmp_path / "imported.safetensors").read_bytes()


def test_the_command_finds_its_environment(tmp_path):
    """Run by a Python without onnx, it fails on the model and not on onnx."""
    try:
        environment.import_python()
    except environment.EnvironmentFailure as failure:
        pytest.skip(str(failure))
    (tmp_path / "junk.onnx").write_text("no model")
    done = subprocess.run([sys.executable, "-m", "diffuse_mlir.onnx_import", str(tmp_path / "junk.onnx"), "-o",
                           str(tmp_path / "x.mlir")], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(HERE.parent)})
    assert done.returncode == 1 and "is not an ONNX model" in done.stderr, done.stderr
    assert not (tmp_path / "x.mlir").exists()
