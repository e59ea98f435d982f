#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime as a peer: a child process of compare.py in its own environment.

    peer_onnxruntime.py write NETWORK FOLDER   the network, its weights, an input
                                               and ONNX Runtime's answer
    peer_onnxruntime.py serve MODEL INPUT      for each line "SECONDS" on stdin,
                                               a JSON list of milliseconds a run

One thread, all of ONNX Runtime's optimizations.
"""
import argparse
import json
import pathlib
import sys
import time

import numpy as np
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from diffuse_mlir import safetensors  # noqa: E402
from diffuse_mlir.networks.onnx_builder import OnnxBuilder  # noqa: E402
from networks import NETWORKS  # noqa: E402


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def write(network, folder):
    """model.onnx, parameters.safetensors, input.npy, expected.npy."""
    builder = OnnxBuilder()
    NETWORKS[network](builder)
    onnx.save(builder.model(), folder / "model.onnx")
    safetensors.save(folder / "parameters.safetensors", builder.parameters)
    running = session(folder / "model.onnx")
    data = running.get_inputs()[0]
    values = np.random.default_rng(1).uniform(-1, 1, data.shape).astype(np.float32)
    np.save(folder / "input.npy", values)
    np.save(folder / "expected.npy", running.run(None, {data.name: values})[0])


def serve(model, values):
    running = session(model)
    feed = {running.get_inputs()[0].name: np.load(values)}
    for line in sys.stdin:
        # The first run finds caches as another program has left them.
        running.run(None, feed)
        samples, end = [], time.perf_counter() + float(line)
        while not samples or time.perf_counter() < end:
            begin = time.perf_counter()
            running.run(None, feed)
            samples.append((time.perf_counter() - begin) * 1e3)
        print(json.dumps(samples), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["write", "serve"])
    parser.add_argument("what")
    parser.add_argument("where", type=pathlib.Path)
    options = parser.parse_args()
    (write if options.action == "write" else serve)(options.what, options.where)


if __name__ == "__main__":
    main()
