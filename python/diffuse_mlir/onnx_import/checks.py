# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses ONNX models that are not whole or hold what tensors cannot.

Conversion takes them for something else, or stops with words of its own.
"""
from onnx import TensorProto, defs

from .names import nodes_of, used_by
from .text import ImportFailure

_ONNX = ("", "ai.onnx")


def operator_set(model):
    """The version of ONNX's own operators that the model uses."""
    for entry in model.opset_import:
        if entry.domain in _ONNX:
            return entry.version
    raise ImportFailure("the model does not say which operator set of ONNX it uses")


def check_model(model, report):
    """Raises ImportFailure for what cannot be imported whatever its shapes are."""
    version, newest = operator_set(model), defs.onnx_opset_version()
    if version > newest:
        report(f"operator set {version} is newer than {newest}, the newest one known: "
               f"operators are taken to be what they are in {newest}")
    _check_operators(model, min(version, newest))
    _check_names(model.graph)


def check_types(graph):
    """Raises ImportFailure for a value without a type or rank, or of strings;
    the shapes of `graph` have been inferred."""
    types = {v.name: v.type for v in [*graph.value_info, *graph.output]}
    used = {o.name for o in graph.output}.union(*map(used_by, graph.node))
    for node in graph.node:
        for name in (name for name in node.output if name and name in used):
            kind = types[name].WhichOneof("value") if name in types else None
            tensor = types[name].tensor_type if kind == "tensor_type" else None
            if kind is None or tensor and not (tensor.elem_type and tensor.HasField("shape")):
                raise ImportFailure(f"the shape of {name!r}, a result of {describe(node)}, cannot be inferred")
            if tensor and tensor.elem_type == TensorProto.STRING:
                raise ImportFailure(f"{name!r}, a result of {describe(node)}, holds strings, "
                                    "which MLIR's tensors cannot")


def check_input(value):
    """Raises ImportFailure for an input that is no tensor of known rank."""
    tensor = value.type.tensor_type
    if not value.type.HasField("tensor_type"):
        raise ImportFailure(f"input {value.name!r} is not a tensor")
    if tensor.elem_type == TensorProto.STRING:
        raise ImportFailure(f"input {value.name!r} holds strings, which MLIR's tensors cannot")
    if not tensor.HasField("shape"):
        raise ImportFailure(f"input {value.name!r} has no shape: give it one in the model")
    if any(dim.HasField("dim_value") and dim.dim_value == 0 for dim in tensor.shape.dim):
        shape = "x".join(dim.dim_param or (str(dim.dim_value) if dim.HasField("dim_value") else "?")
                         for dim in tensor.shape.dim)
        raise ImportFailure(f"input {value.name!r} has shape {shape}, so it holds nothing: give it "
                            "extents of 1 and more, or names that --dim can give extents")


def describe(node):
    """A node as messages name it."""
    return f"{node.op_type} {node.name!r}" if node.name else node.op_type


def _check_operators(model, version):
    functions = {(f.domain, f.name) for f in model.functions}
    unknown = set()
    for graph in [model.graph, *model.functions]:
        for node in nodes_of(graph):
            if (node.domain, node.op_type) in functions:
                continue
            if node.domain not in _ONNX:
                unknown.add(f"{node.domain}.{node.op_type}")
            elif not defs.has(node.op_type, version, ""):
                unknown.add(node.op_type)
    if unknown:
        raise ImportFailure(f"ONNX's operator set {version} does not have the operator{'s'[:len(unknown) > 1]} "
                            f"{', '.join(sorted(unknown))}; rewrite that part of the model")


def _check_names(graph):
    if graph.sparse_initializer:
        raise ImportFailure(f"{graph.sparse_initializer[0].values.name!r} is a sparse tensor: make it a dense one")
    defined = {v.name for v in [*graph.input, *graph.initializer]} | {""}
    for node in graph.node:
        for name in used_by(node):
            if name not in defined:
                raise ImportFailure(f"nothing before {describe(node)} computes its operand {name!r}")
        for name in filter(None, node.output):
            if name in defined:
                raise ImportFailure(f"{name!r} is the name of two values, of which {describe(node)} computes one")
            defined.add(name)
    for output in graph.output:
        if output.name not in defined:
            raise ImportFailure(f"nothing computes the output {output.name!r}")
