# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule that is fast by itself and slow inside its network gives way to the
default one, and stays away in runs that only read the records: on the machine
where that was seen, and as long as the default schedule is the same."""
import json
import os
import pathlib
import subprocess

import pytest

from diffuse_mlir.tools import ToolFailure, find_tool
import faulty_tools

MODEL = pathlib.Path(__file__).with_name("inputs") / "one-matmul.mlir"


class Records:
    """The record file of a run that gave a schedule back."""

    def __init__(self, folder, calls, module):
        self.folder, self.is_whole = folder, calls < 1
        build = pathlib.Path(find_tool("test-compile-server")).resolve().parent
        # By itself the default schedule is slow, so another one wins.
        tools = faulty_tools.make_folder(folder / "bin", build, {"default": "slow"})
        faulty_tools.rig_runs(tools, build, calls, module)
        self.path = folder / "r.jsonl"
        self.summary = self.tune("--budget=20", f"--records={self.path}", tool=tools / "diffuse-tune")
        self.lines = [json.loads(line) for line in self.path.read_text().splitlines()]

    def tune(self, *arguments, tool=None):
        summary = self.folder / "summary.json"
        done = subprocess.run(
            [tool or find_tool("diffuse-tune"), MODEL, "--diffusion=off", "--search=random", "--seed=1",
             "--progress=none", f"--summary={summary}", "-o", self.folder / "tuned.mlir", *arguments],
            capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads(summary.read_text())

    def choices(self, **changes):
        """What a run that measures nothing takes, where the line that gave the
        schedule back was changed. Another that was faster once, by luck, may
        lead by what records hold, so only the two are kept."""
        [given] = [line for line in self.lines if line.get("failure") == "slower-in-network"]
        both = given["schedule"], given["default_schedule"]
        changed = self.folder / "changed.jsonl"
        lines = [{**line, **changes} if line.get("failure") == "slower-in-network" else line
                 for line in self.lines]
        changed.write_text("".join(json.dumps(line) + "\n" for line in lines if line.get("schedule") in both))
        summary = self.tune("--budget=0", "--records=none", f"--prior-records={changed}")
        assert summary["measurements"] == 0
        return summary["subgraphs"][0]["choices"]


# One subgraph slow inside the network, or only the network as a whole.
@pytest.fixture(scope="module", params=[(1000, 1), (0.001, 1000)], ids=["subgraph", "network"])
def records(request, tmp_path_factory):
    try:
        find_tool("test-compile-server")
    except ToolFailure as failure:
        (pytest.fail if "DIFFUSE_BUILD_DIR" in os.environ else pytest.skip)(str(failure))
    return Records(tmp_path_factory.mktemp("hand-backs"), *request.param)


def line_of(records):
    [line] = [line for line in records.lines if line.get("failure") == "slower-in-network"]
    return line


def default_of(records):
    [choices] = {json.dumps(line["choices"]) for line in records.lines
                 if line.get("schedule") == line_of(records)["default_schedule"]}
    return json.loads(choices)


def test_it_is_recorded(records):
    line = line_of(records)
    assert line["format"] == 3 and line["machine"] and "samples_us" not in line
    if records.is_whole:
        assert "the network was slower" in line["message"] and "facts" not in line
    else:
        assert records.summary["given_back"] == ["subgraph_0_contraction"]
        assert line["facts"]["in_network_us"] > line["facts"]["default_in_network_us"] > 0
    assert line["choices"] != default_of(records) == records.summary["subgraphs"][0]["choices"]


def test_later_runs_honour_it(records):
    assert records.choices() == default_of(records)


def test_it_is_of_one_machine_and_one_default_schedule(records):
    rejected = line_of(records)["choices"]
    assert records.choices(machine="another") == rejected
    assert records.choices(default_schedule="0" * 32) == rejected


def test_the_best_of_a_file_passes_over_it(records):
    done = subprocess.run([find_tool("diffuse-records"), "best", "--json", records.path],
                          check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["choices"] != line_of(records)["choices"]


def test_the_next_search_does_not_take_it_again(records):
    more = records.folder / "more.jsonl"
    more.write_text(records.path.read_text())
    summary = records.tune("--budget=8", f"--records={more}")
    assert summary["subgraphs"][0]["choices"] != line_of(records)["choices"]


def test_there_is_nothing_to_reproduce(records):
    number = records.lines.index(line_of(records)) + 1
    done = subprocess.run([find_tool("diffuse-records"), "reproduce", f"{records.path}:{number}"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "no faster inside a network" in done.stderr
