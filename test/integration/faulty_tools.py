# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder of tools in which the compile server and the worker go wrong as a
test asks, and the proxies that do it: each passes lines between the tuner and
the real program and changes some on the way.

As a program: `faulty_tools.py server|runner PROGRAM PLAN LOG`.
"""
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

PR_SET_PDEATHSIG = 1
FAULT = '''
  transform.named_sequence @schedule__vector(%fault_root: !transform.any_op {transform.readonly}) {
    INJECT
    transform.yield
  }
'''
INJECT = '''%fault_func = transform.structured.match ops{["func.func"]} in ROOT
      : (!transform.any_op) -> !transform.any_op
    %spoilt = transform.apply_registered_pass "test-inject-fault" with options = {"kind" = "KIND"}
      to %fault_func : (!transform.any_op) -> !transform.any_op'''


def make_folder(folder, build, plan):
    """Copies of the tools of `build`, with proxies that follow `plan`:

    `default`  the fault of each subgraph's default schedule
    `faults`   those of the candidates after it, in order
    `rest`     that of all further candidates
    `compile`  members to replace in compile requests for what would not end
    `run`      the same in measuring requests
    `stall`    the number of the measuring request, from 1, that is never answered
    `lie`      samples_us of each candidate's result but the first's
    """
    folder.mkdir()
    for tool in build.glob("diffuse-*"):
        shutil.copy(tool, folder)
    (folder / "plan.json").write_text(json.dumps(plan))
    for name, kind, program in (("diffuse-compile-server", "server", build / "test-compile-server"),
                                ("diffuse-measure", "runner", build / "diffuse-measure")):
        command = [sys.executable, __file__, kind, program, folder / "plan.json", folder / f"{kind}.log"]
        (folder / name).unlink()
        (folder / name).write_text(f"#!/bin/sh\nexec {' '.join(map(str, command))}\n")
        (folder / name).chmod((folder / name).stat().st_mode | stat.S_IXUSR)
    return folder


# Runs the program and changes what it says of tuned modules.
RIGGED_RUN = '''#!{python}
import json, pathlib, subprocess, sys
arguments = sys.argv[1:]

def factor(kind, factors):
    log = pathlib.Path({log!r} + "." + kind)
    count = log.stat().st_size if log.exists() else 0
    with open(log, "a") as file:
        file.write("x")
    return factors[min(count // 3, len(factors) - 1)] or sys.exit("rigged")

done = subprocess.run([{program!r}, *arguments], stdout=subprocess.PIPE, text=True)
profiles = [argument.split("=", 1)[1] for argument in arguments if argument.startswith("--profile=")]
if "tuned.so" in arguments[0] and profiles:
    calls, by = json.load(open(profiles[0])), factor("calls", {calls})
    for call in calls:
        call["min_us"] *= by
    json.dump(calls, open(profiles[0], "w"))
elif "tuned.so" in arguments[0] and done.stdout:
    report = json.loads(done.stdout)
    report["min_us"] *= factor("module", {module})
    done.stdout = json.dumps(report) + chr(10)
print(done.stdout, end="")
sys.exit(done.returncode)
'''


def rig_runs(folder, build, calls, module):
    """Has `diffuse-run` in a folder of tools multiply the times of calls inside
    a tuned module, and of the whole module, by these factors: one for each
    comparison of three rounds, the last for all further ones. None makes it fail."""
    log = folder / "rigged-run"
    for kind in "calls", "module":
        pathlib.Path(f"{log}.{kind}").unlink(missing_ok=True)
    (folder / "diffuse-run").unlink()
    (folder / "diffuse-run").write_text(RIGGED_RUN.format(
        python=sys.executable, program=str(build / "diffuse-run"), log=str(log), calls=calls, module=module))
    (folder / "diffuse-run").chmod(0o755)


def read_log(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def with_fault(schedule, kind):
    """The text of a schedule that ends in a fault."""
    inject = INJECT.replace("KIND", kind)
    found = re.search(r"@schedule__vector\((%\w+):", schedule)
    if found:
        end = schedule.index("transform.yield", found.end())
        return schedule[:end] + inject.replace("ROOT", found[1]) + "\n    " + schedule[end:]
    end = schedule.rindex("}")
    return schedule[:end] + FAULT.replace("INJECT", inject.replace("ROOT", "%fault_root")) + schedule[end:]


def needs_limits(fault):
    """Whether it goes on until it is stopped. Others may take their time, which
    is long on a busy machine."""
    return bool(fault) and ("hang" in fault or "memory" in fault)


class Server:
    """Gives each candidate its fault and keeps it over restarts in the log."""

    def __init__(self, plan, log):
        self.plan, self.log = plan, log
        self.given = {(entry["subgraph"], entry["schedule"]): entry["fault"] for entry in read_log(log)}

    def fault_of(self, subgraph, schedule, library):
        key = subgraph, hashlib.sha256(schedule.encode()).hexdigest()
        if key not in self.given:
            others = [subgraph_seen for subgraph_seen, _ in self.given]
            count = len(others) - len(set(others))  # those that are no default
            faults = self.plan.get("faults", [])
            if subgraph not in others:
                fault = self.plan.get("default")
            else:
                fault = faults[count] if count < len(faults) else self.plan.get("rest")
            self.given[key] = fault
            with open(self.log, "a") as log:
                print(json.dumps({"subgraph": subgraph, "schedule": key[1], "fault": fault,
                                  "library": library}), file=log)
        return self.given[key]

    def request(self, request):
        if request.get("compile") and request["schedule"]:
            fault = self.fault_of(request["compile"], request["schedule"], request["library"])
            if fault:
                request["schedule"] = with_fault(request["schedule"], fault)
            if needs_limits(fault):
                request.update(self.plan.get("compile", {}))
        return request

    def answer(self, answer):
        return answer


class Runner:
    def __init__(self, plan, log):
        self.plan, self.log = plan, log
        self.count = len(read_log(log))
        self.requests = 0

    def request(self, request):
        self.requests += 1
        with open(f"{self.log}.requests", "a") as requests:
            print(request["request"]["library"], file=requests)
        if self.requests == self.plan.get("stall"):
            self.log.with_name("stalled").touch()
            time.sleep(100000)
        faults = {entry["library"]: entry["fault"] for entry in read_log(self.log.with_name("server.log"))}
        if needs_limits(faults.get(request["request"]["library"])):
            request["request"].update(self.plan.get("run", {}))
        return request

    def answer(self, answer):
        samples = answer.get("result", {}).get("samples_us")
        if samples:
            with open(self.log, "a") as log:
                print(json.dumps(samples), file=log)
            self.count += 1
            if "lie" in self.plan and self.count > 1:
                answer["result"]["samples_us"] = self.plan["lie"]
        return answer


def main(kind, program, plan, log):
    proxy = {"server": Server, "runner": Runner}[kind](json.loads(pathlib.Path(plan).read_text()),
                                                        pathlib.Path(log))
    # A tuner that is killed takes this along, whatever it waits for; the real
    # program notices that nobody reads its answers.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with open(f"{log}.starts", "a") as starts:
        print(os.getpid(), file=starts)
    child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    print(child.stdout.readline(), end="", flush=True)
    for line in sys.stdin:
        print(json.dumps(proxy.request(json.loads(line))), file=child.stdin, flush=True)
        answer = child.stdout.readline()
        if not answer:
            break
        # NaN stays what it is, though it is no JSON.
        print(json.dumps(proxy.answer(json.loads(answer))), flush=True)
    child.stdin.close()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
