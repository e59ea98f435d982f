# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves weights out of the graph: each becomes an input, its array is kept."""
import math

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from ..safetensors import METADATA
from .checks import describe
from .names import fresh, give_outputs_nodes, names_of, rename, used_by
from .text import ImportFailure

# Integer and boolean tensors up to this size are shapes and indices.
MAX_CONSTANT = 1024
# What a tensor in an ONNX file may have at most; none is made that is larger.
MAX_BYTES = 1 << 31
FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE}

# Operands that conversion needs as constants, even where they are floats.
_CONSTANT_OPERANDS = {
    "Clip": {1, 2}, "ConstantOfShape": {0}, "CumSum": {1}, "DequantizeLinear": {1, 2},
    "Dropout": {1, 2}, "Expand": {1}, "OneHot": {1, 2}, "Pad": {1, 2, 3}, "Pow": {1},
    "QuantizeLinear": {1, 2}, "Range": {0, 1, 2}, "Reshape": {1}, "Resize": {1, 2, 3},
    "Slice": {1, 2, 3, 4}, "Split": {1}, "Squeeze": {1}, "Tile": {1}, "TopK": {1},
    "Unsqueeze": {1}, "Upsample": {1},
    **{f"Reduce{kind}": {1} for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean",
                                         "Min", "Prod", "Sum", "SumSquare")},
}


def to_inputs(graph):
    """Turns weights into graph inputs, in order of first use; returns their
    arrays by name. Scalars and small integer tensors stay constants."""
    _inline_constant_nodes(graph)
    give_outputs_nodes(graph)
    if any(i.name == METADATA for i in graph.initializer):  # no key of a safetensors file
        rename(graph, {METADATA: fresh(METADATA, names_of(graph))})
    order, constant_only = {}, set()
    for node in graph.node:
        for k, name in enumerate(used_by(node)):
            order.setdefault(name)
            if k in _CONSTANT_OPERANDS.get(node.op_type, ()):
                constant_only.add(name)
    initializers = {i.name: i for i in graph.initializer}
    arrays = {}
    for name in order:
        tensor = initializers.get(name)
        if tensor is not None and name not in constant_only and _is_weight(tensor):
            arrays[name] = numpy_helper.to_array(tensor)
            graph.input.append(helper.make_tensor_value_info(name, tensor.data_type, list(tensor.dims)))
    kept = [TensorProto.FromString(t.SerializeToString())
            for t in graph.initializer if t.name in order and t.name not in arrays]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    return arrays


def drop_unused(graph, arrays):
    """Removes weights that folding has left without a use."""
    used = {name for node in graph.node for name in used_by(node)}
    for value in list(graph.input):
        if value.name in arrays and value.name not in used:
            graph.input.remove(value)
            del arrays[value.name]


def splat(node, initializers):
    """The array of a ConstantOfShape whose shape is among the initializers, else None."""
    if node.op_type != "ConstantOfShape" or node.input[0] not in initializers:
        return None
    shape = [int(n) for n in numpy_helper.to_array(initializers[node.input[0]]).reshape(-1)]
    fill = np.float32(0)
    for attribute in node.attribute:
        fill = numpy_helper.to_array(attribute.t).reshape(-1)[0]
    if any(n < 0 for n in shape):
        raise ImportFailure(f"{describe(node)} makes a tensor with a negative extent: {shape}")
    if math.prod(shape) * fill.itemsize > MAX_BYTES:
        raise ImportFailure(f"{describe(node)} makes a tensor of {math.prod(shape) * fill.itemsize} bytes, "
                            f"more than the {MAX_BYTES} that one may have")
    return np.full(shape, fill)


def _is_weight(tensor):
    size = int(np.prod(tensor.dims))
    is_float_tensor = tensor.data_type in FLOATS and len(tensor.dims) > 0 and size > 1
    return is_float_tensor or size > MAX_CONSTANT


def _inline_constant_nodes(graph):
    """Constant nodes, and ConstantOfShape of a known shape, become initializers."""
    initializers = {i.name: i for i in graph.initializer}
    kept = []
    for node in graph.node:
        attributes = {a.name: a for a in node.attribute}
        if node.op_type == "Constant" and "value" in attributes:
            tensor = TensorProto()
            tensor.CopyFrom(attributes["value"].t)
        else:
            value = splat(node, initializers)
            tensor = None if value is None else numpy_helper.from_array(value)
        if tensor is None:
            kept.append(node)
            continue
        tensor.name = node.output[0]
        graph.initializer.append(tensor)
    del graph.node[:]
    graph.node.extend(kept)
