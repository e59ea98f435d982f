# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule that is fast by itself and slow inside its network, twice, gives way
to the default one, and stays away in runs that only read the records: on the
machine where that was seen, and as long as the default schedule is the same. A
run that compares networks tries it again, and takes it once it is no slower."""
import json
import os
import pathlib
import re
import subprocess

import pytest

from diffuse_mlir.tools import ToolFailure, find_tool
import faulty_tools

MODEL = pathlib.Path(__file__).with_name("inputs") / "one-matmul.mlir"


# Factors by comparison; the runner of one without ends with an error.
FAST, SLOW, LUCKLESS, BROKEN = [0.001], [1000], [1000, 0.001], [None]


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def handed_back(lines):
    return [line for line in lines if line.get("failure") == "slower-in-network" and "withdrawn" not in line]


def withdrawn(lines):
    return [line for line in lines if line.get("withdrawn")]


def skip_without_server():
    try:
        find_tool("test-compile-server")
    except ToolFailure as failure:
        (pytest.fail if "DIFFUSE_BUILD_DIR" in os.environ else pytest.skip)(str(failure))


class Records:
    """The record file of a run that gave a schedule back."""

    def __init__(self, folder, calls, module):
        self.folder, self.is_whole, self.rig = folder, calls[0] < 1, (calls, module)
        self.build = build = pathlib.Path(find_tool("test-compile-server")).resolve().parent
        # By itself the default schedule is slow, so another one wins.
        self.tools = faulty_tools.make_folder(folder / "bin", build, {"default": "slow"})
        self.path = folder / "r.jsonl"
        self.summary = self.tune_rigged("--budget=20", f"--records={self.path}")
        self.module = (folder / "tuned.mlir").read_text()
        self.lines = read_lines(self.path)

    def tune_rigged(self, *arguments, rig=None):
        faulty_tools.rig_runs(self.tools, self.build, *(rig or self.rig))
        return self.tune(*arguments, tool=self.tools / "diffuse-tune")

    def tune(self, *arguments, tool=None):
        summary = self.folder / "summary.json"
        done = subprocess.run(
            [tool or find_tool("diffuse-tune"), MODEL, "--diffusion=off", "--search=random", "--seed=1",
             "--layouts=plain", "--progress=none", f"--summary={summary}", "-o", self.folder / "tuned.mlir",
             *arguments],
            capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads(summary.read_text())

    def lines_of_both(self):
        """Those of the schedule that was given back and of the default one:
        another that was faster once, by luck, may lead by what records hold."""
        [given] = [line for line in self.lines if line.get("failure") == "slower-in-network"]
        both = given["schedule"], given["default_schedule"]
        return [line for line in self.lines if line.get("schedule") in both]

    def choices(self, **changes):
        """What a run that measures nothing takes, where the line that gave the
        schedule back was changed."""
        changed = self.folder / "changed.jsonl"
        lines = [{**line, **changes} if line.get("failure") == "slower-in-network" else line
                 for line in self.lines_of_both()]
        changed.write_text("".join(json.dumps(line) + "\n" for line in lines))
        summary = self.tune("--budget=0", "--records=none", f"--prior-records={changed}")
        assert summary["measurements"] == 0
        return summary["subgraphs"][0]["choices"]


# One subgraph slow inside the network, or only the network as a whole.
@pytest.fixture(scope="module", params=[(SLOW, FAST), (FAST, SLOW)], ids=["subgraph", "network"])
def records(request, tmp_path_factory):
    skip_without_server()
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


def test_the_module_names_the_records_that_decided(records):
    digest = re.compile(r'diffuse.provenance = {[^}]*records = "(\w+)"')
    records.tune("--budget=0", f"--records={records.path}")
    assert digest.search(records.module)[1] == digest.search((records.folder / "tuned.mlir").read_text())[1]


def test_it_needs_no_other_line(records):
    elsewhere = records.folder / "elsewhere.jsonl"
    records.tune_rigged("--budget=20", f"--records={elsewhere}", f"--prior-records={records.path}")
    lines = read_lines(elsewhere)
    given = handed_back(lines)
    assert given
    texts = {line["exact_hash"] for line in lines if line["kind"] == "subgraph"}
    assert {line["exact_hash"] for line in given} <= texts


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


def tune_again(records, rig, *arguments):
    """Summary and new lines of a further search, which starts from what is
    recorded of the schedule that was given back, which leads, and of the default
    one, and measures the first once more. The file is `more.jsonl`."""
    more = records.folder / "more.jsonl"
    old = records.lines_of_both()
    more.write_text("".join(json.dumps(line) + "\n" for line in old))
    summary = records.tune_rigged("--budget=1", f"--records={more}", *arguments, rig=rig)
    new = read_lines(more)[len(old):]
    assert [line["schedule"] for line in new if line.get("failure") == "none"] == [line_of(records)["schedule"]]
    return summary, new


def test_the_next_search_tries_it_again(records):
    rejected = line_of(records)
    summary, new = tune_again(records, (FAST, FAST))
    assert not handed_back(new)
    [line] = withdrawn(new)
    assert line["format"] == 4 and line["choices"] == summary["subgraphs"][0]["choices"] == rejected["choices"]
    # From then on what is recorded does not speak against it.
    summary = records.tune("--budget=0", f"--records={records.folder}/more.jsonl")
    assert summary["subgraphs"][0]["choices"] == rejected["choices"]


def test_what_is_slow_again_is_given_back_again(records):
    summary, new = tune_again(records, records.rig)
    assert summary["subgraphs"][0]["choices"] == default_of(records)
    assert len(handed_back(new)) == 1
    summary = records.tune("--budget=0", f"--records={records.folder}/more.jsonl")
    assert summary["subgraphs"][0]["choices"] == default_of(records)


@pytest.mark.parametrize("rig", [(BROKEN, FAST), (FAST, BROKEN), (SLOW + BROKEN, FAST)],
                         ids=["nothing", "calls", "calls-once"])
def test_a_run_that_does_not_compare_to_the_end_keeps_to_it(records, rig):
    """The schedule is measured by itself, and no more than that speaks for it."""
    summary, new = tune_again(records, rig)
    assert summary["subgraphs"][0]["choices"] == default_of(records)
    assert summary["given_back"] == ["subgraph_0_contraction"]
    assert not handed_back(new) and not withdrawn(new)
    summary = records.tune("--budget=0", f"--records={records.folder}/more.jsonl")
    assert summary["subgraphs"][0]["choices"] == default_of(records)


@pytest.mark.parametrize("rig", [(LUCKLESS, FAST), (FAST, LUCKLESS)], ids=["subgraph", "network"])
def test_one_unlucky_comparison_changes_nothing(tmp_path, rig):
    skip_without_server()
    records = Records(tmp_path, *rig)
    assert not handed_back(records.lines) and not records.summary["given_back"]
    first = next(line for line in records.lines if line["kind"] == "measurement")
    assert records.summary["subgraphs"][0]["choices"] != first["choices"], "the default schedule"


def test_there_is_nothing_to_reproduce(records):
    number = records.lines.index(line_of(records)) + 1
    done = subprocess.run([find_tool("diffuse-records"), "reproduce", f"{records.path}:{number}"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "slower inside a network" in done.stderr


def test_calls_that_were_slower_once_decide_nothing(tmp_path):
    skip_without_server()
    records = Records(tmp_path, SLOW + BROKEN, FAST)
    first = next(line for line in records.lines if line["kind"] == "measurement")
    assert not handed_back(records.lines) and not records.summary["given_back"]
    assert records.summary["subgraphs"][0]["choices"] != first["choices"], "the default schedule"


def test_a_module_that_was_slower_once_is_not_written(tmp_path):
    skip_without_server()
    records = Records(tmp_path, FAST, SLOW + BROKEN)
    first = next(line for line in records.lines if line["kind"] == "measurement")
    assert not handed_back(records.lines)
    assert records.summary["tuned_us"] == records.summary["default_us"] > 0
    assert records.summary["subgraphs"][0]["choices"] == first["choices"], "the default schedule"
