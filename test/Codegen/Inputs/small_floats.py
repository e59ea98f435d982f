# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs modules that convert 8-bit floats, in the folder of the command line,
and compares what they give: widened codes with what the compiler folds the same
conversion to, narrowed numbers with the nearest of these.
"""
import os
import re
import struct
import subprocess
import sys

import numpy as np

TYPES = "f8E5M2 f8E4M3 f8E4M3FN f8E5M2FNUZ f8E4M3FNUZ f8E3M4".split()
CODES = np.arange(256, dtype=np.uint8).astype(np.int8)


def numbers():
    """Numbers around every rounding step that any of the types has."""
    grid = [s * m * 2.0 ** e for s in (1, -1) for e in range(-22, 18) for m in np.arange(16, 32) / 16]
    wide = np.array(grid, np.float32)
    above, below = np.nextafter(wide, np.float32(np.inf)), np.nextafter(wide, np.float32(-np.inf))
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, -3e38], np.float32)
    return np.concatenate([wide, above, below, special])


def run_text(name, count):
    return f"""func.func @main(%c: tensor<256xi8>, %x: tensor<{count}xf32>) -> (tensor<256xf32>, tensor<{count}xi8>) {{
  %s = arith.bitcast %c : tensor<256xi8> to tensor<256x{name}>
  %w = arith.extf %s : tensor<256x{name}> to tensor<256xf32>
  %n = arith.truncf %x : tensor<{count}xf32> to tensor<{count}x{name}>
  %b = arith.bitcast %n : tensor<{count}x{name}> to tensor<{count}xi8>
  return %w, %b : tensor<256xf32>, tensor<{count}xi8>
}}
"""


def folded_text(name):
    lines = ["func.func private @wide(f32)", "func.func @main() {"]
    for code in range(256):
        lines += [f"  %c{code} = arith.constant 0x{code:02X} : {name}",
                  f"  %w{code} = arith.extf %c{code} : {name} to f32",
                  f"  call @wide(%w{code}) : (f32) -> ()"]
    return "\n".join(lines + ["  return", "}", ""])


def write(folder):
    os.makedirs(folder, exist_ok=True)
    values = numbers()
    np.save(f"{folder}/codes.npy", CODES)
    np.save(f"{folder}/numbers.npy", values)
    for name in TYPES:
        with open(f"{folder}/{name}.mlir", "w") as file:
            file.write(run_text(name, len(values)))
        with open(f"{folder}/{name}-folded.mlir", "w") as file:
            file.write(folded_text(name))


def to_float(text):
    return struct.unpack("<f", struct.pack("<I", int(text, 16)))[0] if text.startswith("0x") else float(text)


def compare(folder, name):
    subprocess.run(["diffuse-run", f"{folder}/{name}.mlir", "--schedules=none", "--numerics=strict",
                    f"--input={folder}/codes.npy", f"--input={folder}/numbers.npy",
                    f"--output={folder}/{name}"], check=True)
    text = subprocess.run(["mlir-opt", f"{folder}/{name}-folded.mlir", "--canonicalize"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    constants = dict(re.findall(r"(%\S+) = arith\.constant (\S+) :", text))
    # What is not folded is a signaling NaN.
    wanted = np.array([to_float(constants.get(value, "0x7FC00000"))
                       for value in re.findall(r"call @wide\((%\S+)\)", text)], np.float32)
    found = np.load(f"{folder}/{name}0.npy")
    check(found, wanted)
    codes = np.load(f"{folder}/{name}1.npy").astype(np.uint8)
    check(wanted[codes], np.array([narrow(wanted, value) for value in numbers()], np.float32))


def check(found, wanted):
    np.testing.assert_array_equal(found, wanted)
    same = ~np.isnan(found)
    np.testing.assert_array_equal(np.signbit(found[same]), np.signbit(wanted[same]))


def narrow(values, number):
    """The nearest of the values of all codes, the even code of two."""
    finite = [float(v) for v in values[:128] if np.isfinite(v)]
    overflow = np.inf if np.inf in values else np.nan
    zero = 0.0 if np.isnan(values[128]) else -0.0
    size = abs(float(number))
    if np.isnan(size):
        return np.nan
    # The next one in line decides what is too large.
    line = finite + [2 * finite[-1] - finite[-2]]
    if size >= line[-1]:
        return np.copysign(overflow, number)
    above = int(np.searchsorted(line, size))
    best = above
    if line[above] != size:
        below = above - 1
        difference = (size - line[below]) - (line[above] - size)
        best = above if difference > 0 or (difference == 0 and above % 2 == 0) else below
    if best == len(finite):
        return np.copysign(overflow, number)
    if best == 0:
        return zero if np.signbit(number) else 0.0
    return np.copysign(line[best], number)


write(sys.argv[1])
for name in TYPES:
    compare(sys.argv[1], name)
