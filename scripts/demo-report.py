#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo's last lines: what tuning gained, and whether the answer is right.

Exits with 3 where the tuned library's answer differs from the reference.
"""
import argparse
import json
import pathlib
import statistics
import sys
import time

ONNX_SECONDS = 3


def time_onnx(path):
    """(fastest, median) milliseconds of a run under ONNX Runtime on one thread,
    or None where the package is not installed."""
    try:
        import numpy as np
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    generator = np.random.default_rng(0)
    feeds = {}
    for value in session.get_inputs():
        if value.type != "tensor(float)":
            return None
        shape = [n if isinstance(n, int) else 1 for n in value.shape]
        feeds[value.name] = generator.uniform(-1, 1, shape).astype(np.float32)
    samples, end = [], time.perf_counter() + ONNX_SECONDS
    session.run(None, feeds)
    while time.perf_counter() < end or len(samples) < 3:
        begin = time.perf_counter()
        session.run(None, feeds)
        samples.append((time.perf_counter() - begin) * 1e3)
    return min(samples), statistics.median(samples)


def lines(summary, run, onnx):
    """The report as a list of lines."""
    table = []
    # Absent where tuning was cut off before the whole modules were compared.
    if summary["default_us"] and summary["tuned_us"]:
        default, tuned = summary["default_us"] / 1e3, summary["tuned_us"] / 1e3
        table += [f"  default schedules   {default:10.2f} ms",
                  f"  tuned               {tuned:10.2f} ms   {default / tuned:.2f}x the default's speed"]
    if summary["untuned_us"]:
        table.append(f"  plain loops         {summary['untuned_us'] / 1e3:10.2f} ms")
    table.append(f"  tuned library       {run['min_us'] / 1e3:10.2f} ms   fastest run; "
                 f"median {run['median_us'] / 1e3:.2f} ms")
    table.append(f"  ONNX Runtime        {onnx[0]:10.2f} ms   fastest run; median {onnx[1]:.2f} ms, one thread"
                 if onnx else "  ONNX Runtime           not installed for this Python: no time to compare with")
    check = run["check"]
    table.append(f"  answer              {'agrees' if check['ok'] else 'DIFFERS'}: largest error relative to "
                 f"the reference {check['max_rel_error']:.1e}")
    table.append(f"  tuning              {summary['seconds']:10.1f} s    "
                 f"{summary['measurements']} measurements")
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary", type=pathlib.Path, required=True, help="of diffuse-tune")
    parser.add_argument("--run", type=pathlib.Path, required=True, help="of diffuse-run --json")
    parser.add_argument("--onnx", type=pathlib.Path, help="the same network for ONNX Runtime")
    options = parser.parse_args()
    summary = json.loads(options.summary.read_text())
    run = json.loads(options.run.read_text())
    print("\n".join(lines(summary, run, time_onnx(options.onnx) if options.onnx else None)))
    return 0 if run["check"]["ok"] else 3


if __name__ == "__main__":
    sys.exit(main())
