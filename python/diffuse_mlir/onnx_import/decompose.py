# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes operators that torch-mlir lowers wrongly as others that it does not.

DepthToSpace in mode CRD splits the channels as (block, block, channels) there,
where ONNX says (channels, block, block). A Cast of floats to unsigned integers is
the signed one, which has no value for the upper half of their range. Some other
operators on unsigned integers are the signed ones too; these are refused.
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .checks import describe
from .names import fresh, names_of
from .text import ImportFailure
from .weights import FLOATS

_UNSIGNED = {TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64}
_SIGNED_OPERATORS = {"Clip", "Div", "MaxPool", "Mod"}


def decompose(model):
    """DepthToSpace of mode CRD becomes a transpose between two reshapes; one
    whose input has no static shape stays. A Cast of floats to unsigned integers
    goes by way of 64 bits with a sign. Raises ImportFailure for what is lowered
    wrongly and is not rewritten."""
    graph = model.graph
    taken = names_of(graph)
    values = [*graph.input, *graph.value_info, *graph.output]
    shapes = {v.name: _extents(v) for v in values}
    types = {v.name: v.type.tensor_type.elem_type for v in values}
    nodes = []
    for node in graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        shape = shapes.get(node.input[0]) if node.input else None
        if node.op_type == "DepthToSpace" and attributes.get("mode") == b"CRD" and shape:
            nodes.extend(_depth_to_space(graph, node, shape, attributes["blocksize"], taken))
        elif node.op_type in _SIGNED_OPERATORS and types.get(node.output[0]) in _UNSIGNED:
            raise ImportFailure(f"torch-mlir takes the unsigned integers of {describe(node)} for signed ones; "
                                "cast them to wider ones around it")
        elif node.op_type == "Cast" and types.get(node.input[0]) in FLOATS and attributes["to"] in _UNSIGNED:
            wide = fresh(f"{node.output[0]}/wide", taken)
            nodes += [helper.make_node("Cast", list(node.input), [wide], to=TensorProto.INT64),
                      helper.make_node("Cast", [wide], list(node.output), to=attributes["to"])]
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
