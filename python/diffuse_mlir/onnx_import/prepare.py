# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a loaded ONNX model static, modern and free of weights."""
import onnx
from onnx import shape_inference, version_converter

from . import constants, names, weights
from .decompose import decompose
from .text import ImportFailure

OPSET = 17  # torch-mlir wants MaxPool of 12, BatchNormalization of 15 and newer
_IR_VERSION = 8
_SWEEPS = 8  # constant folding uncovers more constants; more were never needed


def prepare(path, dimensions, report):
    """The model without weights and with static shapes, and the weights' arrays
    by name. `report` gets a line for each thing left as it was."""
    try:
        model = onnx.load(path)
    except Exception as error:  # protobuf's and onnx's own types, by version
        raise ImportFailure(f"{path} is not an ONNX model: {error}") from error
    pin_dimensions(model, dimensions)
    arrays = weights.to_inputs(model.graph)
    model = _infer(_upgrade(_infer(model), report))
    for _ in range(_SWEEPS):
        changed = constants.fold(model, report)
        constants.drop_dead(model.graph)
        del model.graph.value_info[:]
        model = _infer(model)
        if not changed:
            break
    decompose(model)
    weights.drop_unused(model.graph, arrays)
    names.give_outputs_nodes(model.graph)
    names.make_safe(model.graph)
    del model.graph.value_info[:]
    return _infer(model), arrays


def pin_dimensions(model, dimensions):
    """Gives every symbolic dimension of the inputs an extent."""
    graph = model.graph
    initializers = {i.name for i in graph.initializer}
    for value in list(graph.input):
        if value.name in initializers:  # files before IR version 4 list weights too
            graph.input.remove(value)
            continue
        if not value.type.HasField("tensor_type"):
            raise ImportFailure(f"input {value.name!r} is not a tensor")
        for dim in value.type.tensor_type.shape.dim:
            if not dim.HasField("dim_value") or dim.dim_value <= 0:
                dim.dim_value = dimensions.get(dim.dim_param, 1)
    # What is said of other values may be stale now, and is inferred again.
    del graph.value_info[:]
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")


def _infer(model):
    try:
        return shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception as error:
        raise ImportFailure(f"shape inference failed: {error}") from error


def _upgrade(model, report):
    model.ir_version = max(model.ir_version, _IR_VERSION)
    version = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), OPSET)
    if version >= OPSET:
        return model
    try:
        model = version_converter.convert_version(model, OPSET)
    except Exception as error:
        report(f"operator set {version} is kept: {error}")
        return model
    del model.graph.value_info[:]  # stale, as the type of Dropout's mask
    return model
