#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs networks through Diffuse and ONNX Runtime side by side.

    benchmarks/compare.py resnet18 vgg16 --budget=120s --json results.json
    benchmarks/compare.py bert_base --linalg bert_base.mlir

Both run the same network with the same weights on the same input, on one thread
pinned to one core, in blocks that alternate and change order each round, so a
disturbance of the machine hits both. ONNX Runtime lives in an environment that
this script makes for itself. With --linalg the text of another front end is run:
its parameters are the network's, in order of first use.

The table gives for each network the fastest run of either, the medians over all
blocks, and their ratios (below 1: Diffuse is faster), the memory that loading and
running takes, and the largest error relative to ONNX Runtime's answer. Exits with 3 where the answers differ.
"""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE)]

from diffuse_mlir import environment, safetensors  # noqa: E402
from diffuse_mlir.onnx_import.text import entry_parameters  # noqa: E402
from diffuse_mlir.tools import ToolFailure, find_tool, run_tool  # noqa: E402
from networks import NETWORKS  # noqa: E402


def peer_python(options):
    """The Python that has ONNX Runtime."""
    return options.peer_python or environment.environment_python("peers", HERE / "requirements-peers.txt")


def pinned(core, command):
    return ["taskset", "-c", str(core), *map(str, command)]


class OnnxRuntime:
    """The peer process; `block(seconds)` returns milliseconds of its runs."""

    def __init__(self, python, folder, core):
        self._child = subprocess.Popen(
            pinned(core, [python, HERE / "peer_onnxruntime.py", "serve", folder / "model.onnx",
                          folder / "input.npy"]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def block(self, seconds):
        self._child.stdin.write(f"{seconds}\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise ToolFailure(f"ONNX Runtime ended with status {self._child.wait()}")
        samples = json.loads(line)
        return {"min": min(samples), "median": statistics.median(samples)}

    def close(self):
        self._child.stdin.close()
        self._child.wait()


class Diffuse:
    """The tuned library, run by diffuse-run a block at a time."""

    def __init__(self, folder, core):
        self._folder, self._core = folder, core

    def check(self):
        done = subprocess.run([find_tool("diffuse-run"), *self._arguments(), "--expected=expected.npy", "--json"],
                              cwd=self._folder, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise ToolFailure(done.stderr.strip(), done.returncode)
        return json.loads(done.stdout)["check"]

    def block(self, seconds):
        done = subprocess.run(pinned(self._core, [find_tool("diffuse-run"), *self._arguments(),
                                                  f"--bench={seconds}", "--json"]),
                              cwd=self._folder, capture_output=True, text=True)
        if done.returncode:
            raise ToolFailure(done.stderr.strip(), done.returncode)
        result = json.loads(done.stdout)
        return {"min": result["min_us"] / 1e3, "median": result["median_us"] / 1e3}

    def close(self):
        pass

    @staticmethod
    def _arguments():
        return ["model.so", "--parameters=parameters.safetensors", "--input=input.npy"]


def prepare(network, folder, linalg, python):
    """Writes the network for both sides; the MLIR is `folder`/model.mlir."""
    subprocess.run([python, HERE / "peer_onnxruntime.py", "write", network, folder], check=True)
    if linalg is None:
        command = [sys.executable, "-m", "diffuse_mlir.onnx_import", folder / "model.onnx", "-o", folder / "model.mlir"]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(HERE.parent / "python")})
    else:
        text = linalg.read_text()
        (folder / "model.mlir").write_text(text)
        weights = safetensors.load(folder / "parameters.safetensors")
        safetensors.save(folder / "parameters.safetensors", rename(weights, entry_parameters(text)))


def rename(weights, arguments):
    """The weights, in order, under the keys of the entry's parameters. Shapes
    must agree: the text has to be this network's."""
    if len(weights) != len(arguments):
        raise ValueError(f"the text has {len(arguments)} parameters, the network {len(weights)}")
    for (name, array), (key, shape) in zip(weights.items(), arguments):
        if tuple(array.shape) != shape:
            raise ValueError(f"parameter {key} of the text is {shape}, the network's {name} is {array.shape}")
    return {key: array for (key, _), array in zip(arguments, weights.values())}


def tune(folder, budget):
    run_tool("diffuse-tune", folder / "model.mlir", f"--budget={budget}", "--summary", folder / "summary.json",
             "-o", folder / "tuned.mlir", show=True)
    run_tool("diffuse-compile", folder / "tuned.mlir", "--emit=so", "-o", folder / "model.so")
    return json.loads((folder / "summary.json").read_text())


def interleave(sides, rounds, seconds):
    """{side: [block results]}; the order turns from round to round."""
    blocks, names = {name: [] for name in sides}, list(sides)
    for k in range(rounds):
        for name in names[k % len(names):] + names[:k % len(names)]:
            blocks[name].append(sides[name].block(seconds))
    return blocks


def summarize(blocks):
    """Fastest and median milliseconds of both sides, and their ratios. The
    median ratio is over rounds, as both sides of a round saw the same machine."""
    ours, theirs = blocks["diffuse"], blocks["onnxruntime"]
    result = {}
    for name, side in (("diffuse", ours), ("onnxruntime", theirs)):
        result[f"{name}_min_ms"] = min(b["min"] for b in side)
        result[f"{name}_median_ms"] = statistics.median(b["median"] for b in side)
    result["min_ratio"] = result["diffuse_min_ms"] / result["onnxruntime_min_ms"]
    result["median_ratio"] = statistics.median(a["median"] / b["median"] for a, b in zip(ours, theirs))
    return result


def peak_memory(folder, python):
    """Megabytes that loading and running takes, by side; one Python for both."""
    files = {"diffuse": ["model.so", "parameters.safetensors", "input.npy"],
             "onnxruntime": ["model.onnx", "input.npy"]}
    peaks = {}
    for side, names in files.items():
        done = subprocess.run([python, HERE / "peak_memory.py", side, *names], cwd=folder, check=True,
                              stdout=subprocess.PIPE, text=True)
        peaks[f"{side}_peak_mb"] = int(done.stdout) / 1e6
    return peaks


def compare(network, options, python):
    folder = options.work / network
    folder.mkdir(parents=True, exist_ok=True)
    prepare(network, folder, options.linalg, python)
    summary = tune(folder, options.budget)
    sides = {"diffuse": Diffuse(folder, options.core), "onnxruntime": OnnxRuntime(python, folder, options.core)}
    try:
        check = sides["diffuse"].check()
        blocks = interleave(sides, options.rounds, options.seconds)
    finally:
        for side in sides.values():
            side.close()
    return {"network": network, **summarize(blocks), **peak_memory(folder, python), "ok": check["ok"],
            "max_rel_error": check["max_rel_error"], "tuning_seconds": summary["seconds"],
            "measurements": summary["measurements"], "default_ms": summary["default_us"] and summary["default_us"] / 1e3, "blocks": blocks}


def table(results):
    rows = [f"{'network':16} {'diffuse ms':>20} {'onnxruntime ms':>20} {'ratio':>15} {'peak MB':>13} {'error':>8}",
            f"{'':16} {'min':>10}{'median':>10} {'min':>10}{'median':>10} {'min':>8}{'median':>7} {'ours':>7}{'ORT':>6}"]
    for r in results:
        rows.append(f"{r['network']:16} {r['diffuse_min_ms']:10.2f}{r['diffuse_median_ms']:10.2f} "
                    f"{r['onnxruntime_min_ms']:10.2f}{r['onnxruntime_median_ms']:10.2f} "
                    f"{r['min_ratio']:8.2f}{r['median_ratio']:7.2f} "
                    f"{r['diffuse_peak_mb']:7.0f}{r['onnxruntime_peak_mb']:6.0f} {r['max_rel_error']:8.1e}"
                    + ("" if r["ok"] else "  WRONG ANSWER"))
    return "\n".join(rows)


def machine():
    model = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    return {"cpu": model[0] if model else platform.processor(), "cores": os.cpu_count()}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="+", help="names of benchmarks/networks.py")
    parser.add_argument("--linalg", type=pathlib.Path, help="run this text as the (one) network")
    parser.add_argument("--budget", default="60s", help="of diffuse-tune (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=8, help="blocks of each side (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=1, help="length of a block (default %(default)s)")
    parser.add_argument("--core", type=int, default=0, help="to pin to (default %(default)s)")
    parser.add_argument("--work", type=pathlib.Path, default=environment.cache_folder() / "compare",
                        help="folder for models and records (default %(default)s)")
    parser.add_argument("--peer-python", type=pathlib.Path, metavar="PYTHON",
                        help="a Python with onnxruntime and onnx (default: of an environment made for it)")
    parser.add_argument("--json", type=pathlib.Path, help="write all results here")
    options = parser.parse_args(arguments)
    for network in options.networks:
        if network not in NETWORKS:
            parser.error(f"unknown network {network}; known are {', '.join(sorted(NETWORKS))}")
    if options.linalg and len(options.networks) != 1:
        parser.error("--linalg is the text of one network: name one")
    return options


def main():
    options = parse(None)
    results = []
    try:
        python = peer_python(options)
        for network in options.networks:
            results.append(compare(network, options, python))
            # After each: what is measured is not lost by what fails later.
            if options.json:
                options.json.write_text(json.dumps({"machine": machine(), "results": results}, indent=2) + "\n")
    except (ToolFailure, environment.EnvironmentFailure, ValueError, subprocess.CalledProcessError) as failure:
        sys.exit(f"error: {failure}")
    print(table(results))
    return 0 if all(r["ok"] for r in results) else 3


if __name__ == "__main__":
    sys.exit(main())
