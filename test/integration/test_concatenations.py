# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Concatenations whose parts are written in place, against numpy."""
import re

import numpy as np
import pytest

from diffuse_mlir import Model

# Each line of a body makes a tensor<1 x ROWS x 8 x f32>: `name = exp value`, or
# `name = concat value value...`.
BODIES = {
    "two parts": "a = exp x; b = exp a; c = concat a b; r = exp c",
    "a chain": "a = exp x; b = exp a; c = concat a b; d = exp b; e = concat d c; r = exp e",
    "a part of two": "a = exp x; b = exp a; c = concat a b; d = concat b a; s = concat c d; r = exp s",
    "a part that is read again": "a = exp x; b = exp a; c = concat b a; d = exp c; e = exp a; f = concat d e; r = exp f",
    "a part twice": "a = exp x; c = concat a a; r = exp c",
    "a concatenation in two": "a = exp x; b = exp a; c = concat a b; d = concat c a; e = concat b c; f = concat d e; r = exp f",
    "dense blocks": "a = exp x; b = exp a; c = concat a b; d = exp c; e = concat c d; f = exp e; g = concat e f; r = exp g",
    "an argument": "a = exp x; c = concat x a; r = exp c",
}
TYPE = "tensor<1x{}x8xf32>"


def module(body):
    """The body as a module; its exp is exp(-v), which stays small."""
    rows, lines = {"x": 3}, []
    for name, kind, operands in re.findall(r"(\w+) = (\w+) ([\w ]+)", body):
        values = operands.split()
        rows[name] = sum(rows[v] for v in values)
        own = TYPE.format(rows[name])
        if kind == "concat":
            types = ", ".join(TYPE.format(rows[v]) for v in values)
            lines.append(f"%{name} = tensor.concat dim(1) {', '.join('%' + v for v in values)} : ({types}) -> {own}")
        else:
            lines += [f"%e_{name} = tensor.empty() : {own}",
                      f"%n_{name} = linalg.negf ins(%{values[0]} : {own}) outs(%e_{name} : {own}) -> {own}",
                      f"%{name} = linalg.exp ins(%n_{name} : {own}) outs(%e_{name} : {own}) -> {own}"]
    result = TYPE.format(rows["r"])
    text = "\n  ".join(lines)
    return f"func.func @main(%x: {TYPE.format(3)}) -> {result} {{\n  {text}\n  return %r : {result}\n}}\n"


def expected(body, x):
    values = {"x": x}
    for name, kind, operands in re.findall(r"(\w+) = (\w+) ([\w ]+)", body):
        given = [values[v] for v in operands.split()]
        values[name] = np.exp(-given[0]) if kind == "exp" else np.concatenate(given, axis=1)
    return values["r"]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_values_are_right(tool, tmp_path, body):
    (tmp_path / "model.mlir").write_text(module(body))
    tool("diffuse-compile", "model.mlir", "-o", "model.so").succeeds()
    x = np.random.default_rng(0).uniform(-1, 1, (1, 3, 8)).astype(np.float32)
    model = Model(tmp_path / "model.so")
    np.testing.assert_allclose(model(x), expected(body, x), rtol=1e-5)
    model.close()


@pytest.mark.parametrize("name, copies", [("two parts", 0), ("a chain", 0), ("dense blocks", 0), ("a part of two", 2)])
def test_parts_are_not_copied(tool, tmp_path, name, copies):
    (tmp_path / "model.mlir").write_text(module(BODIES[name]))
    tool("diffuse-opt", "model.mlir", "--diffuse-outline-subgraphs", "--diffuse-lower-to-llvm", "-o",
         "lowered.mlir").succeeds()
    lowered = (tmp_path / "lowered.mlir").read_text()
    assert "concat" not in lowered
    entry = re.search(r"llvm\.func [a-z_ ]*@diffuse_entry_body\(.*?\n  }", lowered, re.S)[0]
    assert len(re.findall(r"llvm\.intr\.memcpy", entry)) == copies


# A part that gets another name in front of the concatenation, and is written
# behind it under that name.
BRANCH = """
func.func @main(%x: tensor<1x3x8xf32>, %c: i1) -> (tensor<1x6x8xf32>, tensor<1x3x8xf32>) {
  %zero = arith.constant 0 : index
  %seven = arith.constant 7.0 : f32
  %e = tensor.empty() : tensor<1x3x8xf32>
  %a = linalg.exp ins(%x : tensor<1x3x8xf32>) outs(%e : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  %b = linalg.tanh ins(%x : tensor<1x3x8xf32>) outs(%e : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  %s = scf.if %c -> tensor<1x3x8xf32> {
    scf.yield %a : tensor<1x3x8xf32>
  } else {
    scf.yield %b : tensor<1x3x8xf32>
  }
  %w = tensor.concat dim(1) %a, %b : (tensor<1x3x8xf32>, tensor<1x3x8xf32>) -> tensor<1x6x8xf32>
  %t = tensor.insert %seven into %s[%zero, %zero, %zero] : tensor<1x3x8xf32>
  %e2 = tensor.empty() : tensor<1x6x8xf32>
  %q = linalg.abs ins(%t : tensor<1x3x8xf32>) outs(%e : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  %r = linalg.abs ins(%w : tensor<1x6x8xf32>) outs(%e2 : tensor<1x6x8xf32>) -> tensor<1x6x8xf32>
  return %r, %q : tensor<1x6x8xf32>, tensor<1x3x8xf32>
}
"""


@pytest.mark.parametrize("taken", [True, False])
def test_other_names_of_a_part_are_seen(tool, tmp_path, taken):
    (tmp_path / "model.mlir").write_text(BRANCH)
    tool("diffuse-compile", "model.mlir", "-o", "model.so").succeeds()
    x = np.random.default_rng(0).uniform(-1, 1, (1, 3, 8)).astype(np.float32)
    a, b = np.exp(x), np.abs(np.tanh(x))
    written = (a if taken else b).copy()
    written[0, 0, 0] = 7
    model = Model(tmp_path / "model.so")
    whole, part = model(x, np.bool_(taken))
    model.close()
    np.testing.assert_allclose(whole, np.concatenate([a, b], axis=1), rtol=1e-5)
    np.testing.assert_allclose(part, written, rtol=1e-5)
