# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs by the plain lowering to loops, as they are and cut into
subgraphs, and compares what they print. The second cut must change nothing.

    compare_lowerings.py GENERATOR FIRST_SEED LAST_SEED OPS
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PASSES = """
empty-tensor-to-alloc-tensor
one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops}
buffer-deallocation-pipeline
func.func(convert-linalg-to-loops)
convert-bufferization-to-memref
expand-strided-metadata
lower-affine
convert-scf-to-cf
expand-strided-metadata
lower-affine
convert-arith-to-llvm
convert-index-to-llvm
finalize-memref-to-llvm
convert-func-to-llvm
convert-arith-to-llvm
convert-cf-to-llvm
reconcile-unrealized-casts
"""
PIPELINE = "builtin.module(%s)" % ",".join(PASSES.strip().split("\n"))
LIBRARIES = ["libmlir_runner_utils.so", "libmlir_c_runner_utils.so"]


def run(command, text=""):
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=True, timeout=120
    ).stdout


def outline(text):
    return run(["diffuse-opt", "--diffuse-outline-subgraphs", "--diffuse-verify-module"], text)


EXPANSION = re.compile(
    r"(%\S+) = tensor.expand_shape (%\S+) \[.*\] output_shape \[(.*)\] : (\S+) into (\S+)"
)


def spell_out(match):
    """expand-strided-metadata of MLIR 22 crashes on expansions into two extents that
    are not known."""
    result, source, sizes, before, after = match.groups()
    if after.count("?") < 2:
        return match.group()
    lines, values = [], []
    for i, size in enumerate(sizes.split(", ")):
        values.append(size if size.startswith("%") else f"{result}_size{i}")
        if values[-1] != size:
            lines.append(f"{values[-1]} = arith.constant {size} : index")
    kind = f"tensor<{len(values)}xindex>"
    lines.append(f"{result}_sizes = tensor.from_elements {', '.join(values)} : {kind}")
    signature = f"({before}, {kind}) -> {after}"
    lines.append(f"{result} = tensor.reshape {source}({result}_sizes) : {signature}")
    return "\n".join(lines)


def execute(text):
    """What the program prints, without the addresses of its buffers."""
    lowered = run(["mlir-opt", "--pass-pipeline=" + PIPELINE], EXPANSION.sub(spell_out, text))
    folder = pathlib.Path(shutil.which("mlir-runner")).resolve().parent.parent / "lib"
    libraries = ",".join(str(folder / name) for name in LIBRARIES)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(lowered)
        file.flush()
        printed = run(
            ["mlir-runner", file.name, "-e", "main", "-entry-point-result=void", "-O1",
             "-shared-libs=" + libraries]
        )
    return re.sub(r"base@ = 0x[0-9a-f]+|offset = \d+", "", printed)


def check(generator, seed, ops):
    script = pathlib.Path(__file__).with_name(generator + ".py")
    program = run([sys.executable, str(script), str(seed), ops])
    outlined = outline(program)
    if outline(outlined) != outlined:
        sys.exit(f"seed {seed}: outlining twice changes the module")
    if execute(program) != execute(outlined):
        sys.exit(f"seed {seed}: the outlined program prints something else")


def main():
    for seed in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
        try:
            check(sys.argv[1], seed, sys.argv[4])
        except subprocess.CalledProcessError as error:
            sys.exit(f"seed {seed}: {error.cmd[0]} failed\n{error.stderr}")


if __name__ == "__main__":
    main()
