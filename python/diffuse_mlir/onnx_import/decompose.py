# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes operators that torch-mlir lowers wrongly as others that it does not.

DepthToSpace in mode CRD splits the channels as (block, block, channels) there,
where ONNX says (channels, block, block).
"""
import numpy as np
from onnx import helper, numpy_helper

from .names import fresh, names_of


def decompose(model):
    """DepthToSpace of mode CRD becomes a transpose between two reshapes. One
    whose input has no static shape stays."""
    graph = model.graph
    taken = names_of(graph)
    shapes = {v.name: _extents(v) for v in [*graph.input, *graph.value_info, *graph.output]}
    nodes = []
    for node in graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        shape = shapes.get(node.input[0]) if node.input else None
        if node.op_type == "DepthToSpace" and attributes.get("mode") == b"CRD" and shape:
            nodes.extend(_depth_to_space(graph, node, shape, attributes["blocksize"], taken))
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _extents(value):
    dims = value.type.tensor_type.shape.dim
    return [d.dim_value for d in dims] if dims and all(d.dim_value > 0 for d in dims) else None


def _depth_to_space(graph, node, shape, block, taken):
    batch, channels, height, width = shape
    rest = channels // (block * block)
    result = node.output[0]

    def reshape(source, target, extents):
        name = fresh(f"{target}/extents", taken)
        graph.initializer.append(numpy_helper.from_array(np.array(extents, np.int64), name))
        return helper.make_node("Reshape", [source, name], [target])

    split, turned = (fresh(f"{result}/{part}", taken) for part in ("split", "turned"))
    return [reshape(node.input[0], split, [batch, rest, block, block, height, width]),
            helper.make_node("Transpose", [split], [turned], perm=[0, 1, 4, 2, 5, 3]),
            reshape(turned, result, [batch, rest, height * block, width * block])]
