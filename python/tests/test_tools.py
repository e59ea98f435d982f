# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finding and running the command-line tools, with tools that pretend."""
import pytest

from diffuse_mlir.tools import ToolFailure, find_tool, run_tool


@pytest.fixture
def build(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("DIFFUSE_BUILD_DIR", str(tmp_path))

    def add(name, script):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n" + script)
        (tmp_path / "bin" / name).chmod(0o755)
    return add


def test_the_build_folder_comes_first(build, tmp_path):
    build("diffuse-run", "echo ran $1")
    assert find_tool("diffuse-run") == str(tmp_path / "bin" / "diffuse-run")
    assert run_tool("diffuse-run", "x.mlir") == "ran x.mlir\n"


def test_a_missing_tool_says_where_it_was_looked_for(build, tmp_path):
    with pytest.raises(ToolFailure, match="diffuse-run was not found .*/bin"):
        find_tool("diffuse-run")


def test_a_failing_tool_hands_on_its_message(build):
    build("diffuse-run", "echo 'x.mlir:3: error: bad' >&2; exit 1")
    with pytest.raises(ToolFailure, match="x.mlir:3: error: bad") as failure:
        run_tool("diffuse-run")
    assert failure.value.status == 1
