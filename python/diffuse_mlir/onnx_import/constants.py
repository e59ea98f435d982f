# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds what an ONNX graph computes from shapes and constants alone.

torch-mlir leaves dynamic extents where a Shape, Gather, Concat, Reshape chain
computes a shape. With pinned inputs such chains are constant; ONNX's reference
evaluator runs them here, one node at a time.
"""
import math

import numpy as np
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from .checks import describe
from .names import subgraphs, used_by
from .weights import MAX_BYTES, splat

_RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}


def fold(model, report):
    """One sweep over the nodes. Returns whether anything was folded."""
    graph = model.graph
    types = {v.name: v.type for v in [*graph.input, *graph.value_info, *graph.output]}
    constants = {i.name: i for i in graph.initializer}
    kept = []
    for node in graph.node:
        value = _shape_of(node, types)
        if value is None:
            value = _constant_node(node)
        if value is None:
            value = splat(node, constants)
        if value is None:
            value = _evaluate(model, node, constants, types, report)
        if value is None:
            kept.append(node)
            continue
        array = np.ascontiguousarray(value).reshape(np.shape(value))
        tensor = numpy_helper.from_array(array, node.output[0])
        graph.initializer.append(tensor)
        constants[tensor.name] = tensor
    changed = len(kept) != len(graph.node)
    if changed:
        del graph.node[:]
        graph.node.extend(kept)
    return changed


def drop_dead(graph):
    """Removes nodes and initializers that no output needs."""
    live = {o.name for o in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if any(o in live for o in node.output):
            live.update(used_by(node))
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(reversed(nodes))
    kept = [i for i in graph.initializer if i.name in live]
    del graph.initializer[:]
    graph.initializer.extend(kept)


def _shape_of(node, types):
    if node.op_type != "Shape" or node.input[0] not in types:
        return None
    tensor = types[node.input[0]].tensor_type
    dims = tensor.shape.dim
    if not tensor.HasField("shape") or not all(d.HasField("dim_value") for d in dims):
        return None
    bounds = {a.name: a.i for a in node.attribute}
    return np.array([d.dim_value for d in dims][bounds.get("start", 0):bounds.get("end")], np.int64)


def _constant_node(node):
    if node.op_type != "Constant" or len(node.output) != 1:
        return None
    attribute = node.attribute[0]
    if attribute.name == "value":
        return numpy_helper.to_array(attribute.t)
    kinds = {"value_float": np.float32, "value_floats": np.float32,
             "value_int": np.int64, "value_ints": np.int64}
    if attribute.name not in kinds:
        return None
    return np.array(helper.get_attribute_value(attribute), kinds[attribute.name])


def _is_too_large(node, types, report):
    """Whether a result of the node is known to be larger than a constant may be."""
    for tensor in (types[name].tensor_type for name in node.output if name in types):
        if tensor.elem_type and all(d.HasField("dim_value") for d in tensor.shape.dim):
            size = (math.prod(d.dim_value for d in tensor.shape.dim)
                    * helper.tensor_dtype_to_np_dtype(tensor.elem_type).itemsize)
            if size > MAX_BYTES:
                report(f"{describe(node)} is not folded: its result has {size} bytes")
                return True
    return False


def _evaluate(model, node, constants, types, report):
    """The node's value if all operands are constants, else None."""
    operands = [constants[i] for i in dict.fromkeys(node.input) if i and i in constants]
    if (not node.input or any(i and i not in constants for i in node.input) or len(node.output) != 1
            or node.op_type in _RANDOM or list(subgraphs(node)) or _is_too_large(node, types, report)):
        return None
    result = helper.make_empty_tensor_value_info(node.output[0])
    single = helper.make_model(helper.make_graph([node], "fold", [], [result], initializer=operands),
                               opset_imports=model.opset_import, ir_version=model.ir_version)
    try:
        return ReferenceEvaluator(single).run(None, {})[0]
    except Exception as error:  # an operator the evaluator lacks: torch-mlir may have it
        report(f"{describe(node)} is not folded: {error}")
        return None
