# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates that go wrong in every way, through the real tuner, compile server
and worker: each is a record of its own kind, tuning goes on, and what is
written is a candidate that was right."""
import json
import os
import pathlib
import subprocess

import pytest

from diffuse_mlir.tools import ToolFailure, find_tool
import faulty_tools

MODEL = pathlib.Path(__file__).with_name("inputs") / "one-matmul.mlir"
# What is found in the message of each.
FAULTS = {
    "compiler-crash": ("compile-crash", "SIGSEGV"),
    "compiler-hang": ("compile-timeout", "stopped after"),
    "compiler-memory": ("compile-memory", "bad_alloc"),
    "compiler-stack": ("compile-crash", "the stack overflowed"),
    "run-crash": ("run-crash", "ran into a trap"),
    "run-hang": ("run-timeout", "stopped at its limit of 1 s"),
    "run-memory": ("run-memory", "refused memory"),
    "run-stack": ("run-crash", "the stack overflowed"),
    "write-after": ("out-of-bounds", "past the end of result"),
    "write-before": ("out-of-bounds", "wrote outside result"),
    "write-input": ("out-of-bounds", "wrote to input"),
    "wrong-all": ("wrong-answer", ""),
    "wrong-one": ("wrong-answer", ""),
}
LIMITS = {"compile": {"wall_seconds": 5, "cpu_seconds": 5, "memory_bytes": 1 << 30},
          "run": {"limit_seconds": 1, "limit_bytes": 64 << 20}}


class Run:
    """One run of a tuner whose tools follow a plan."""

    def __init__(self, folder, plan, *arguments, model=MODEL):
        build = pathlib.Path(find_tool("test-compile-server")).resolve().parent
        self.tools = faulty_tools.make_folder(folder / "bin", build, {**LIMITS, **plan})
        self.folder = folder
        self.done = subprocess.run(
            [self.tools / "diffuse-tune", model, "--diffusion=off", "--search=random", "--seed=1",
             "--stop-gain=0%", "--progress=none", f"--records={folder}/r.jsonl",
             f"--summary={folder}/summary.json", "-o", folder / "tuned.mlir", *arguments],
            capture_output=True, text=True, timeout=300)
        assert self.done.returncode == 0, self.done.stderr
        self.summary = json.loads((folder / "summary.json").read_text())
        path = folder / "r.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        self.records = [line for line in lines if line["kind"] == "measurement"]

    def faults(self):
        """Each candidate's fault and its records, in order of first measuring."""
        log = faulty_tools.read_log(self.tools / "server.log")
        schedules = list(dict.fromkeys(record["schedule"] for record in self.records))
        return [(entry["fault"], [record for record in self.records if record["schedule"] == schedule])
                for entry, schedule in zip(log, schedules)]

    def best(self):
        """The records of the candidate that was written."""
        [subgraph] = self.summary["subgraphs"]
        return [record for record in self.records
                if record["sketch"] == subgraph["sketch"] and record["choices"] == subgraph["choices"]]


@pytest.fixture
def tune(tmp_path):
    try:
        find_tool("test-compile-server")
    except ToolFailure as failure:
        (pytest.fail if "DIFFUSE_BUILD_DIR" in os.environ else pytest.skip)(str(failure))
    return lambda plan, *arguments, **options: Run(tmp_path, plan, *arguments, **options)


def test_each_fault_is_a_record_of_its_kind(tune):
    run = tune({"faults": list(FAULTS)}, "--budget=40")
    found = dict(pair for pair in run.faults() if pair[0])
    assert set(found) == set(FAULTS)
    for fault, records in found.items():
        kind, words = FAULTS[fault]
        assert {record["failure"] for record in records} == {kind}, (fault, records)
        assert words in records[0]["message"] and records[0]["message"], (fault, records)
    # It went on, and what it wrote is right.
    assert [fault for fault, _ in run.faults()].count(None) > 1
    assert run.best() and all(record["failure"] == "none" for record in run.best())
    assert run.summary["subgraphs"][0]["tuned_us"] > 0
    assert "warning" not in run.done.stderr.replace("warning: the speed", "")


def test_what_is_right_on_one_data_seed_only_is_not_written(tune):
    run = tune({"default": "slow", "rest": "wrong-on-other-data"}, "--budget=30")
    rejected = [record for record in run.records if record["failure"] != "none"]
    assert rejected
    for record in rejected:
        assert record["failure"] == "wrong-answer"
        assert record["message"].startswith("on a second set of data: ")
    assert run.records[0] in run.best(), "the default schedule is the only one that is right"


@pytest.mark.parametrize("lie", [[float("nan")] * 5, [-3.0] * 5, [0.0] * 5, [1e999], []])
def test_a_runner_that_lies_is_not_believed(tune, lie):
    run = tune({"lie": lie}, "--budget=10")
    # The first answer was true; none of the others is a record.
    assert len(run.records) == 1 and run.records[0]["failure"] == "none"
    assert "a measurement failed, and not by its candidate" in run.done.stderr
    assert run.best() == run.records


@pytest.mark.parametrize("fault", ["compiler-hang", "compiler-crash", "compiler-memory"])
@pytest.mark.parametrize("arguments", [["--budget=0"], ["--budget=3", "--measurer=fake"]])
def test_schedules_that_nobody_measures_do_not_stop_the_tuner(tune, fault, arguments):
    run = tune({"default": fault, "rest": fault}, *arguments)
    [subgraph] = run.summary["subgraphs"]
    assert subgraph["sketch"] == "plain loops"
    assert subgraph["default_failure"] == FAULTS[fault][0]
    assert FAULTS[fault][1] in run.done.stderr
    assert "diffuse.schedule" not in (run.folder / "tuned.mlir").read_text()
