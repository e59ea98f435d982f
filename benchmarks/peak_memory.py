#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much memory one side needs to load a network and run it: a child process
of compare.py, which runs it once for each side with the same Python.

    peak_memory.py diffuse LIBRARY PARAMETERS INPUT
    peak_memory.py onnxruntime MODEL INPUT

Prints the bytes by which the process's largest resident set, over loading and
two runs, exceeds that before loading. The network's parameters count on both
sides, be they read or mapped.
"""
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))


def resident(field):
    """Bytes of a line of /proc/self/status."""
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"^{field}:\s+(\d+) kB$", status, re.M)[1])


def forget_peak():
    """Makes the kernel count the largest resident set from now on, where it
    lets us; else what importing took counts as there before loading."""
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def load_diffuse(library, parameters):
    from diffuse_mlir import Model
    return lambda: Model(library, parameters)


def load_onnxruntime(model):
    from peer_onnxruntime import session

    def load():
        running = session(model)
        name = running.get_inputs()[0].name
        return lambda values: running.run(None, {name: values})
    return load


def main():
    side, *files, data = sys.argv[1:]
    load = {"diffuse": load_diffuse, "onnxruntime": load_onnxruntime}[side](*files)
    values = np.load(data)
    forget_peak()
    before = resident("VmHWM")
    run = load()
    for _ in range(2):
        run(values)
    print(resident("VmHWM") - before)


if __name__ == "__main__":
    main()
