# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a loaded ONNX model static, modern and free of weights."""
import pathlib

import onnx
from onnx import external_data_helper, shape_inference, version_converter

from .. import files
from . import checks, constants, names, weights
from .decompose import decompose
from .text import ImportFailure

OPSET = 17  # torch-mlir wants MaxPool of 12, BatchNormalization of 15 and newer
_IR_VERSION = 8
_SWEEPS = 8  # constant folding uncovers more constants; more were never needed


def prepare(path, dimensions, report, outputs=()):
    """The model without weights and with static shapes, and the weights' arrays
    by name. `report` gets a line for each thing left as it was. `outputs` will be
    written: none may be a file that the model is read from."""
    model = _load(path, outputs)
    checks.check_model(model, report)
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
    model = _infer(model)
    checks.check_types(model.graph)
    return model, arrays


def _load(path, outputs):
    try:
        model = onnx.load(path, load_external_data=False)
    except OSError as error:
        raise ImportFailure(f"cannot read {path}: {error.strerror}") from error
    except Exception as error:  # protobuf's and onnx's own types, by version
        raise ImportFailure(f"{path} is not an ONNX model: {error}") from error
    if not model.HasField("graph"):
        raise ImportFailure(f"{path} is not an ONNX model: it holds no graph")
    folder = pathlib.Path(path).parent
    files.check_outputs(outputs, [folder / name for name in _external_files(model.graph)])
    try:
        external_data_helper.load_external_data_for_model(model, str(folder))
    except Exception as error:
        raise ImportFailure(f"cannot read the weights of {path}: {error}") from error
    return model


def _external_files(graph):
    """Names of the files beside the model's that hold its tensors."""
    tensors = [*graph.initializer, *(a.t for node in names.nodes_of(graph) for a in node.attribute)]
    return {entry.value for tensor in tensors for entry in tensor.external_data if entry.key == "location"}


def pin_dimensions(model, dimensions):
    """Gives every symbolic dimension of the inputs an extent."""
    graph = model.graph
    initializers = {i.name for i in graph.initializer}
    symbols = set()
    for value in list(graph.input):
        if value.name in initializers:  # files before IR version 4 list weights too
            graph.input.remove(value)
            continue
        checks.check_input(value)
        for dim in value.type.tensor_type.shape.dim:
            if not dim.HasField("dim_value") or dim.dim_value < 0:
                symbols.add(dim.dim_param)
                dim.dim_value = dimensions.get(dim.dim_param, 1)
    _check_dimensions(dimensions, symbols - {""})
    # What is said of other values may be stale now, and is inferred again.
    del graph.value_info[:]
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")


def _check_dimensions(dimensions, symbols):
    for name, extent in dimensions.items():
        if name not in symbols:
            known = ", ".join(map(repr, sorted(symbols))) or "none"
            raise ImportFailure(f"no input has a symbolic dimension {name!r}; there are: {known}")
        if extent < 1:
            raise ImportFailure(f"dimension {name!r} cannot have the extent {extent}: the least is 1")


def _infer(model):
    try:
        return shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception as error:
        raise ImportFailure(f"shape inference failed: {error}") from error


def _upgrade(model, report):
    model.ir_version = max(model.ir_version, _IR_VERSION)
    version = checks.operator_set(model)
    if version >= OPSET:
        return model
    try:
        model = version_converter.convert_version(model, OPSET)
    except Exception as error:
        report(f"operator set {version} is kept: {error}")
        return model
    del model.graph.value_info[:]  # stale, as the type of Dropout's mask
    return model
