# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finding and running the command-line tools, with tools that pretend."""
import os
import pathlib
import pty
import signal
import subprocess
import sys
import textwrap

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


def test_what_is_shown_is_in_the_failure_too(build, capsys):
    build("diffuse-tune", """printf 'measuring 1\\rmeasuring 2\\n' >&2
echo 'x.mlir:3: error: bad' >&2; echo '  note: here' >&2; exit 1""")
    with pytest.raises(ToolFailure) as failure:
        run_tool("diffuse-tune", show=True)
    assert str(failure.value) == "diffuse-tune: x.mlir:3: error: bad\n  note: here"
    assert "measuring 2\nx.mlir:3: error: bad" in capsys.readouterr().err


def test_output_comes_back_when_messages_are_shown(build):
    build("diffuse-tune", "yes | head -c 1000000; echo said >&2")
    assert len(run_tool("diffuse-tune", show=True)) == 1000000


SHOWING = """
    from diffuse_mlir.tools import run_tool
    run_tool("diffuse-tune", show=True)
"""


def start_showing(stderr):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(SHOWING)], stderr=stderr,
                            env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[1])},
                            # Tests that run in the background have it ignored.
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def test_a_tool_that_is_shown_sees_the_terminal(build, tmp_path):
    build("diffuse-tune", f"test -t 2 && touch {tmp_path}/terminal; exit 0")
    ours, theirs = pty.openpty()
    assert start_showing(theirs).wait(timeout=60) == 0
    os.close(ours)
    os.close(theirs)
    assert (tmp_path / "terminal").exists()


def test_an_interrupted_tool_writes_what_it_has(build, tmp_path):
    build("diffuse-tune", f"trap 'sleep 1; echo best > {tmp_path}/best; exit 130' INT\n"
                          "echo ready >&2\nwhile :; do sleep 0.1; done")
    python = start_showing(subprocess.PIPE)
    assert python.stderr.readline() == b"ready\n"
    children = pathlib.Path(f"/proc/{python.pid}/task/{python.pid}/children").read_text().split()
    for pid in [*map(int, children), python.pid]:  # as a terminal does
        os.kill(pid, signal.SIGINT)
    assert python.wait(timeout=60) != 0
    assert (tmp_path / "best").read_text() == "best\n"
