# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pads of all signs, against numpy: a negative amount cuts off."""
import numpy as np
import pytest

from diffuse_mlir import Model

# (extent, low, high): cropped on either side, cropped here and padded there, all
# of it cut off, and more than all of it.
AMOUNTS = [(6, -1, -1), (6, 2, -1), (6, -2, 3), (4, -4, 3), (4, -5, 10), (4, 5, -6), (4, 3, -5), (3, 0, 0)]


def padded(x, low, high):
    """Along the last dimension, with 9."""
    result = np.full((x.shape[0], x.shape[1] + low + high), 9, x.dtype)
    for k in range(result.shape[1]):
        if 0 <= k - low < x.shape[1]:
            result[:, k] = x[:, k - low]
    return result


def module(extent, low, high, source="?"):
    length = extent + low + high
    result = f"tensor<2x{length if source != '?' else '?'}xf32>"
    return f"""
func.func @main(%x: tensor<2x{source}xf32>) -> {result} {{
  %nine = arith.constant 9.0 : f32
  %p = tensor.pad %x low[0, {low}] high[0, {high}] {{
  ^bb0(%a: index, %b: index):
    tensor.yield %nine : f32
  }} : tensor<2x{source}xf32> to {result}
  %r = arith.addf %p, %p : {result}
  return %r : {result}
}}
"""


@pytest.mark.parametrize("schedules", ["default", "none"])
@pytest.mark.parametrize("extent, low, high", AMOUNTS)
def test_static_extents(tool, tmp_path, extent, low, high, schedules):
    (tmp_path / "model.mlir").write_text(module(extent, low, high, extent))
    tool("diffuse-compile", "model.mlir", f"--schedules={schedules}", "-o", "model.so").succeeds()
    x = np.arange(2 * extent, dtype=np.float32).reshape(2, extent)
    model = Model(tmp_path / "model.so")
    np.testing.assert_array_equal(model(x), 2 * padded(x, low, high))
    model.close()


@pytest.mark.parametrize("extent, low, high", AMOUNTS[:4])
def test_dynamic_extents(tool, tmp_path, extent, low, high):
    (tmp_path / "model.mlir").write_text(module(extent, low, high))
    tool("diffuse-compile", "model.mlir", "-o", "model.so").succeeds()
    x = np.arange(2 * extent, dtype=np.float32).reshape(2, extent)
    model = Model(tmp_path / "model.so")
    np.testing.assert_array_equal(model(x), 2 * padded(x, low, high))
    model.close()
