# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts share that run the tools on a random network for each seed."""

import pathlib
import subprocess
import sys
import tempfile


def run(command):
    """What the command prints; ends the script where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def for_each_seed(compare):
    """The results of `compare(seed, folder)` for the seeds and the folder of the
    command line, FIRST_SEED LAST_SEED [FOLDER]."""
    results = []
    for seed in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(sys.argv[3]) / str(seed) if len(sys.argv) > 3 else pathlib.Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            print("seed", seed, flush=True)
            results.append(compare(seed, folder))
    return results
