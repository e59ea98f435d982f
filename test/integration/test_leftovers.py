# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tuner that is killed leaves behind: no process, and no folder that the
next run does not remove."""
import os
import pathlib
import signal
import subprocess
import time

import pytest

from diffuse_mlir.tools import ToolFailure, find_tool
from tuner_processes import SECONDS, processes_with, scratch_folders, wait_for

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "matmul-relu.mlir"


@pytest.fixture
def tuner(tmp_path):
    """A tuner in the middle of its work."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    try:
        tool = find_tool("diffuse-tune")
    except ToolFailure as failure:
        (pytest.fail if "DIFFUSE_BUILD_DIR" in os.environ else pytest.skip)(str(failure))
    records = tmp_path / "records.jsonl"

    def start(*arguments):
        return subprocess.Popen([tool, EXAMPLE, f"--records={records}", "--progress=none",
                                 "-o", tmp_path / "tuned.mlir", *arguments],
                                env={**os.environ, "TMPDIR": str(temporary)},
                                stderr=subprocess.DEVNULL)

    process = start("--budget=100000")
    wait_for(lambda: records.exists() and records.read_text().count("\n") > 3)
    yield process, temporary, start
    process.kill()
    process.wait()


def kill(process):
    process.send_signal(signal.SIGKILL)


def interrupt_twice(process):
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)


@pytest.mark.parametrize("end", [kill, interrupt_twice])
def test_nothing_is_left(tuner, end):
    process, temporary, start = tuner
    assert scratch_folders(temporary)
    end(process)
    process.wait(timeout=SECONDS)
    wait_for(lambda: not processes_with(temporary))
    assert start("--budget=0").wait(timeout=SECONDS) == 0
    assert not scratch_folders(temporary)
