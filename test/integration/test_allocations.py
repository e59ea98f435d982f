# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run takes its memory from the handle: it asks the C library for none."""
import math
import os
import pathlib
import shutil
import subprocess

import pytest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
CC = shutil.which("cc") or shutil.which("gcc")
BYTES = {"f32": 4, "f64": 8, "i32": 4, "i64": 8, "i8": 1, "i1": 1, "f16": 2, "bf16": 2}

pytestmark = pytest.mark.skipif(CC is None, reason="no C compiler")


def allocations_of_a_second_run(library, folder):
    """(in the second run, before it)."""
    subprocess.run([CC, "-O1", "-rdynamic", f"-I{ROOT / 'include'}",
                    pathlib.Path(__file__).with_name("count_allocations.c"), library, "-o", "count"],
                   cwd=folder, check=True)
    kinds = {"parameter": [], "input": [], "destination": []}
    for argument in harness.description(library, "counted")["boundary"]:
        size = math.prod(argument["extents"]) * BYTES[argument["type"]]
        kinds[argument["kind"]].append(str(max(size, 1)))
    sizes = [size for kind in kinds.values() for size in kind]
    done = subprocess.run([folder / "count", *(str(len(kind)) for kind in kinds.values()), *sizes],
                          capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
    assert done.returncode == 0, done
    second, before = done.stdout.split(" of ")
    return int(second), int(before)


@pytest.mark.parametrize("layouts", ["blocked", "plain"])
def test_a_second_run_allocates_nothing(tool, inputs, tmp_path, layouts):
    library = tmp_path / "counted.so"
    tool("diffuse-compile", inputs / "small-network.mlir", f"--layouts={layouts}", "--model=counted", "-o",
         library).succeeds()
    second, before = allocations_of_a_second_run(library, tmp_path)
    assert second == 0
    assert before > 2, "what counts allocations counted none"
