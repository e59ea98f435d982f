# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C in the middle of one long step: a reference, a candidate that is
compiled or run, the check of a schedule that nobody measured. The step is cut
off, not waited for or tried again; records and outputs are those of any
interrupt. The steps here take longer than anybody waits."""
import json
import os
import pathlib
import signal
import subprocess

import pytest

from diffuse_mlir.tools import ToolFailure, find_tool
import faulty_tools
from tuner_processes import held_locks, processes_with, scratch_folders, wait_for

MODEL = pathlib.Path(__file__).with_name("inputs") / "one-matmul.mlir"
FOR_EVER = {"compile": {"wall_seconds": 100000, "cpu_seconds": 100000}, "run": {"limit_seconds": 100000}}


def has_fault(tools, fault):
    return any(entry["fault"] == fault for entry in faulty_tools.read_log(tools / "server.log"))


def is_running(tools, fault):
    """The library that is run now is that of the faulty candidate."""
    requests = tools / "runner.log.requests"
    faulty = [entry["library"] for entry in faulty_tools.read_log(tools / "server.log")
              if entry["fault"] == fault]
    return requests.exists() and requests.read_text().split("\n")[-2] in faulty


STEPS = {
    "reference": ({"stall": 1}, "--budget=100", lambda tools: (tools / "stalled").exists(), 0),
    "compile": ({"rest": "compiler-hang"}, "--budget=100",
                lambda tools: has_fault(tools, "compiler-hang"), 1),
    "run": ({"rest": "run-hang"}, "--budget=100", lambda tools: is_running(tools, "run-hang"), 1),
    "check": ({"default": "compiler-hang"}, "--budget=0",
              lambda tools: has_fault(tools, "compiler-hang"), 0),
}


@pytest.mark.parametrize("step", STEPS)
def test_the_step_is_cut_off(tmp_path, step):
    plan, budget, is_there, kept = STEPS[step]
    try:
        build = pathlib.Path(find_tool("test-compile-server")).resolve().parent
    except ToolFailure as failure:
        (pytest.fail if "DIFFUSE_BUILD_DIR" in os.environ else pytest.skip)(str(failure))
    tools = faulty_tools.make_folder(tmp_path / "bin", build, {**FOR_EVER, **plan})
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [tools / "diffuse-tune", MODEL, budget, "--progress=none", f"--records={tmp_path}/r.jsonl",
         f"--summary={tmp_path}/summary.json", "-o", tmp_path / "tuned.mlir"],
        env={**os.environ, "TMPDIR": str(temporary)}, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: is_there(tools))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert "warning" not in errors and "error" not in errors
    # Cut off at the first try: nothing was started again.
    for kind in "server", "runner":
        starts = tools / f"{kind}.log.starts"
        assert not starts.exists() or starts.read_text().count("\n") == 1
    assert "@diffuse_schedules" in (tmp_path / "tuned.mlir").read_text()
    assert json.loads((tmp_path / "summary.json").read_text())["interrupted"]
    records = tmp_path / "r.jsonl"
    lines = [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []
    assert len([line for line in lines if line["kind"] == "measurement"]) == kept
    # The last process goes when it has cleaned up, or another has after it.
    wait_for(lambda: not processes_with(temporary) and not scratch_folders(temporary) and not held_locks(temporary))
