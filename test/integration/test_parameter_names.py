# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters are found by whatever names a safetensors header can spell."""
import json
import struct

import numpy as np
import pytest

from diffuse_mlir import Model, ModelFailure

NAMES = ["plain", "w\u00e9\u6f22", 'a "quoted" one', "back\\slash", "line\nbreak\ttab", "\U0001f600", "a/b.c", "\x7f"]


def module(names):
    """The parameter k times its position, summed."""
    arguments = ", ".join(
        f'%a{k}: tensor<2xf32> {{diffuse.parameter = "{"".join(f"{chr(92)}{byte:02X}" for byte in name.encode())}"}}'
        for k, name in enumerate(names))
    lines, total = ["%e = tensor.empty() : tensor<2xf32>"], "%x"
    for k in range(len(names)):
        kind = "tensor<2xf32>"
        lines += [f"%c{k} = arith.constant dense<{k + 1}.0> : {kind}",
                  f"%m{k} = linalg.mul ins(%a{k}, %c{k} : {kind}, {kind}) outs(%e : {kind}) -> {kind}",
                  f"%s{k} = linalg.add ins({total}, %m{k} : {kind}, {kind}) outs(%e : {kind}) -> {kind}"]
        total = f"%s{k}"
    body = "\n  ".join(lines)
    return f"func.func @main(%x: tensor<2xf32>, {arguments}) -> tensor<2xf32> {{\n  {body}\n  return {total} : tensor<2xf32>\n}}\n"


def save(path, tensors, ascii_only):
    header, data = {}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header, ensure_ascii=ascii_only).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


@pytest.mark.parametrize("ascii_only", [True, False])
def test_names_are_found(tool, tmp_path, ascii_only):
    (tmp_path / "model.mlir").write_text(module(NAMES))
    tool("diffuse-compile", "model.mlir", "-o", "model.so").succeeds()
    random = np.random.default_rng(0)
    values = {name: random.uniform(-1, 1, 2).astype(np.float32) for name in NAMES}
    save(tmp_path / "w.safetensors", values, ascii_only)
    model = Model(tmp_path / "model.so", tmp_path / "w.safetensors")
    x = np.ones(2, np.float32)
    expected = x + sum((k + 1) * value for k, value in enumerate(values.values()))
    np.testing.assert_allclose(model(x), expected, rtol=1e-5)
    model.close()


@pytest.mark.parametrize("spelling", ["pl\\u0061in\\u0000", "plain\\u00", "plain\\q", "plai", "plainn", "\\ud83d"])
def test_other_names_are_not(tool, tmp_path, spelling):
    (tmp_path / "model.mlir").write_text(module(["plain"]))
    tool("diffuse-compile", "model.mlir", "-o", "model.so").succeeds()
    text = f'{{"{spelling}":{{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}}}'.encode()
    (tmp_path / "w.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    with pytest.raises(ModelFailure, match="'plain' is missing"):
        Model(tmp_path / "model.so", tmp_path / "w.safetensors")
