# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several tuners share one record file while random processes of theirs are
killed: tuners, servers, workers, children of both. What a tuner said that it
measured is in the file, no line is torn, the next run measures none of it
again, and nothing is left behind."""
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest

from diffuse_mlir.tools import ToolFailure, find_tool
from tuner_processes import (describe, held_locks, processes_with, scratch_folders, wait_for)

MODEL = pathlib.Path(__file__).with_name("inputs") / "several.mlir"
SEED = 20260101


class Tuners:
    """Tuners on one record file, and what each said."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.records = folder / "records.jsonl"
        self.running, self.logs = {}, []
        self.started = 0

    def environment(self):
        return {**os.environ, "TMPDIR": str(self.temporary)}

    def start(self, slot, *arguments):
        self.started += 1
        log = self.folder / f"events-{self.started}.jsonl"
        self.logs.append(log)
        with open(log, "w") as events:
            self.running[slot] = subprocess.Popen(
                [self.tool, MODEL, f"--records={self.records}", "--progress=json", "--stop-gain=0%",
                 "--diffusion=off", "--search=random", f"--seed={self.started}",
                 "-o", self.folder / f"tuned-{slot}.mlir", *arguments],
                env=self.environment(), stderr=events, stdin=subprocess.DEVNULL)
        return self.running[slot]

    def restart_the_dead(self, *arguments):
        for slot, process in list(self.running.items()):
            if process.poll() is not None:
                self.start(slot, *arguments)

    def stop(self):
        for process in self.running.values():
            process.send_signal(signal.SIGINT)
        for process in self.running.values():
            process.wait(timeout=300)

    def hashes(self):
        """The exact hash of each subgraph by name."""
        summary = self.folder / "names.json"
        subprocess.run([self.tool, MODEL, "--dry-run", "--records=none", f"--summary={summary}"],
                       check=True, stdout=subprocess.DEVNULL, env=self.environment())
        return {entry["name"]: entry["exact_hash"]
                for entry in json.loads(summary.read_text())["subgraphs"]}


def events_in(log):
    """What a tuner said. The last line of a killed one may be cut."""
    lines = log.read_text().split("\n")
    for index, line in enumerate(lines):
        try:
            event = json.loads(line)
        except ValueError:
            assert not line or index == len(lines) - 1 or not line.startswith("{"), (log, line)
            continue
        if event["event"] == "measured":
            yield event


def fresh_measurements(log, hashes):
    """Identities that a tuner said it measured and recorded."""
    for event in events_in(log):
        if not event["from_records"] and event["failure"] != "unmeasurable" and event["schedule"]:
            yield hashes[event["subgraph"]], event["schedule"]


def read_records(path):
    """Measurements of a file; torn lines fail."""
    text = path.read_bytes()
    assert text.endswith(b"\n")
    lines = [json.loads(line) for line in text.split(b"\n")[:-1]]
    return [line for line in lines if line["kind"] == "measurement"]


def identity(record):
    return record["exact_hash"], record["schedule"]


# What may say another thing on a second try, or bounds a time only.
UNSURE = {"compile-timeout", "compile-memory", "run-timeout", "run-memory", "unmeasurable"}


def known_identities(records):
    """What no later run measures. A schedule that was slower inside its network
    is tried again by the next run that compares networks."""
    given_back = {identity(record) for record in records if record["failure"] == "slower-in-network"}
    return {identity(record) for record in records
            if not record.get("dropped") and record["failure"] not in UNSURE} - given_back


def kill_one(tuners, choice):
    """Kills a random process of the tuners; its program."""
    processes = processes_with(tuners.temporary)
    if not processes:
        return None
    victim = choice.choice(processes)
    program = describe(victim)
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        return None
    return program


def check_nothing_is_left(tuners):
    wait_for(lambda: not processes_with(tuners.temporary))
    assert not scratch_folders(tuners.temporary)
    assert not held_locks(tuners.temporary)


@pytest.fixture
def tuners(tmp_path):
    try:
        tool = find_tool("diffuse-tune")
    except ToolFailure as failure:
        (pytest.fail if "DIFFUSE_BUILD_DIR" in os.environ else pytest.skip)(str(failure))
    tuners = Tuners(tool, tmp_path)
    yield tuners
    for process in tuners.running.values():
        process.kill()
        process.wait()


@pytest.mark.parametrize("count,kills", [
    (2, 6), pytest.param(8, 50, marks=pytest.mark.slow)])
def test_kills_lose_no_record(tuners, count, kills):
    choice = random.Random(SEED)
    killed = collections.Counter()
    for slot in range(count):
        tuners.start(slot, "--budget=100000")
    wait_for(lambda: tuners.records.exists() and tuners.records.read_text().count("\n") > 3)
    while sum(killed.values()) < kills:
        time.sleep(choice.uniform(0, 2))
        program = kill_one(tuners, choice)
        if program:
            killed[program] += 1
        tuners.restart_the_dead("--budget=100000")
    tuners.stop()

    hashes = tuners.hashes()
    records = read_records(tuners.records)
    held = collections.Counter(map(identity, records))
    said = collections.Counter(found for log in tuners.logs for found in fresh_measurements(log, hashes))
    lost = said - held
    assert not lost, f"{sum(lost.values())} measurements were told of and are not in the file"

    # The next run goes on from there.
    known = known_identities(records)
    assert tuners.start("next", "--budget=30").wait(timeout=300) == 0
    fresh = list(fresh_measurements(tuners.logs[-1], hashes))
    assert fresh and not [found for found in fresh if found in known]
    assert "torn or foreign" not in tuners.logs[-1].read_text()
    check_nothing_is_left(tuners)
    print(f"{tuners.started} tuners started, killed {dict(killed)}; {len(records)} records of "
          f"{len(held)} candidates, {sum(said.values())} told of, 0 lost; the next run measured "
          f"{len(fresh)} new ones and none again")
