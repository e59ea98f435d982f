# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random networks with plain and with blocked layouts and compares what they
give, bit by bit; packing a second time must change nothing.

    compare_layouts.py FIRST_SEED LAST_SEED [FOLDER]

What a seed leaves in FOLDER is kept.
"""

import sys

from random_network import Network
from seeds import for_each_seed, run

TARGETS = ["cpu:x86-64-v3", "cpu:x86-64"]
EXACTLY = ["--rtol=0", "--atol=0"]
PLAIN_LOOPS = ["--schedules=none", "--opt-level=1"]


def pack(source, target, passes=1):
    # One option twice on a command line means one pass; a pipeline runs it twice.
    steps = ",".join([f"diffuse-pack-layouts{{target={target} always}}"] * passes)
    return run(["diffuse-opt", source, f"--pass-pipeline=builtin.module({steps})"])


def compare(seed, folder):
    network = Network(seed)
    results = network.generate(network.random.randrange(5, 16))
    plain = folder / "plain.mlir"
    plain.write_text(network.text(results))
    data = network.write_data(folder)
    run(["diffuse-run", plain, *PLAIN_LOOPS, *data, f"--output={folder}/expected"])
    data += [f"--expected={folder}/expected{i}.npy" for i in range(len(results))] + EXACTLY
    for target in TARGETS:
        packed = folder / f"{target[4:]}.mlir"
        packed.write_text(pack(plain, target))
        if pack(plain, target, passes=2) != packed.read_text():
            sys.exit(f"seed {seed}: packing twice for {target} changes the module")
    # Each seed is run for one target by plain loops, and with schedules for that
    # one or for this machine.
    packed = folder / f"{TARGETS[seed % 2][4:]}.mlir"
    run(["diffuse-run", packed, "--layouts=plain", *PLAIN_LOOPS, *data])
    run(["diffuse-run", *([plain] if seed % 3 == 0 else [packed, "--layouts=plain"]), *data])
    return "linalg.pack" in packed.read_text()


def main():
    if not any(for_each_seed(compare)):
        sys.exit("no network was packed")


if __name__ == "__main__":
    main()
