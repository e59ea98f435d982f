# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model as a callable on numpy arrays, over its C interface.

The library describes its arguments itself (`diffuse_<model>_describe`), so that
nothing but the file is needed. docs/c-interface.md has the interface.
"""
import ctypes
import json
import mmap
import os
import re

import numpy as np

from .elf import NoLibrary, check_whole

# Elements that numpy has no type for travel as their bits.
_TYPES = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16,
    "i1": np.bool_, "i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "si8": np.int8, "si16": np.int16, "si32": np.int32, "si64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    "index": np.int64, "complex<f32>": np.complex64, "complex<f64>": np.complex128,
}


class ModelFailure(RuntimeError):
    """The library refused: its own message."""


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("extents", ctypes.POINTER(ctypes.c_int64))]


class _Parameters(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("tensors", ctypes.POINTER(_Tensor))]


class Model:
    """One instance of a compiled model: its parameters and working memory.

    Call it with one array for each entry of `inputs`; it returns the result, or
    a tuple of several. `parameters` names the safetensors file, where the model
    takes parameters that are not embedded. Not for use by two threads at once;
    make a Model for each.
    """

    def __init__(self, path, parameters=None):
        self._handle = ctypes.c_void_p()
        self._functions = _Functions(os.fspath(path))
        self.description = json.loads(self._functions.describe())
        boundary = self.description["boundary"]
        self.inputs = [a for a in boundary if a["kind"] in ("input", "scalar")]
        self.results = [a for a in boundary if a["kind"] == "destination"]
        file = os.fsencode(parameters) if parameters is not None else None
        self._check(self._functions.create(ctypes.byref(_Parameters(file, None)), None,
                                           ctypes.byref(self._handle)))

    def __call__(self, *arrays):
        if len(arrays) != len(self.inputs):
            raise TypeError(f"the model takes {len(self.inputs)} inputs, {len(arrays)} were given")
        values = [_input_array(value, argument) for value, argument in zip(arrays, self.inputs)]
        tensors = _tensors(values)
        outputs = [np.empty(shape, _TYPES[result["type"]])
                   for result, shape in zip(self.results, self._result_shapes(tensors))]
        self._check(self._functions.run(self._handle, tensors, _tensors(outputs)))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def close(self):
        """Frees the instance; the Model cannot be called afterwards."""
        if self._handle:
            self._functions.destroy(self._handle)
            self._handle = ctypes.c_void_p()

    def __del__(self):
        if getattr(self, "_functions", None):
            self.close()

    def _result_shapes(self, inputs):
        shapes = [list(result["extents"]) for result in self.results]
        unknown = [(shape, k) for shape in shapes for k, n in enumerate(shape) if n < 0]
        if unknown:
            extents = (ctypes.c_int64 * len(unknown))()
            self._check(self._functions.extents(self._handle, inputs, extents))
            for (shape, k), extent in zip(unknown, extents):
                shape[k] = extent
        return shapes

    def _check(self, code):
        if code != 0:
            raise ModelFailure(self._functions.error(self._handle).decode())


class _Functions:
    """The six functions of a library, typed."""

    _SIGNATURES = {
        "create": (ctypes.c_int32, [ctypes.POINTER(_Parameters), ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]),
        "run": (ctypes.c_int32, [ctypes.c_void_p, ctypes.POINTER(_Tensor), ctypes.POINTER(_Tensor)]),
        "extents": (ctypes.c_int32, [ctypes.c_void_p, ctypes.POINTER(_Tensor), ctypes.POINTER(ctypes.c_int64)]),
        "destroy": (None, [ctypes.c_void_p]),
        "error": (ctypes.c_char_p, [ctypes.c_void_p]),
        "describe": (ctypes.c_char_p, []),
    }

    def __init__(self, path):
        try:
            check_whole(path)
            # Without a slash the loader would search its own folders.
            library = ctypes.CDLL(os.path.abspath(path))
        except (NoLibrary, OSError) as failure:
            raise ModelFailure(f"cannot load a model: {failure}") from failure
        name = _model_name(path)
        for function, (result, arguments) in self._SIGNATURES.items():
            symbol = getattr(library, f"diffuse_{name}_{function}")
            symbol.restype, symbol.argtypes = result, arguments
            setattr(self, function, symbol)


def _model_name(path):
    """The NAME of diffuse_NAME_describe, from the library's table of symbols."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        match = re.search(rb"\0diffuse_(\w+)_describe\0", data)
        if not match:
            raise ModelFailure(f"{path} holds no model")
        return match.group(1).decode()


def _input_array(value, argument):
    """`value` as the row-major array that the argument takes."""
    dtype = np.dtype(_TYPES[argument["type"]])
    array = np.asarray(value)
    # Bits of a type numpy lacks (ml_dtypes' bfloat16) are taken as they are.
    if array.dtype != dtype and array.dtype.itemsize == dtype.itemsize and array.dtype.kind == "V":
        array = array.view(dtype)
    extents = argument["extents"] if argument["kind"] != "scalar" else []
    if array.ndim != len(extents) or any(n >= 0 and n != m for n, m in zip(extents, array.shape)):
        shape = "x".join("?" if n < 0 else str(n) for n in extents) or "scalar"
        raise ValueError(f"input {argument['name']!r} has shape {array.shape}, the model takes {shape}")
    if array.dtype != dtype and not (array.ndim == 0 and np.can_cast(array.dtype, dtype, "same_kind")):
        raise ValueError(f"input {argument['name']!r} has elements of {array.dtype}, the model takes {dtype}")
    return np.asarray(array, dtype, order="C")


def _tensors(arrays):
    """A C array of diffuse_tensor that refers to `arrays` and keeps them alive."""
    tensors = (_Tensor * max(1, len(arrays)))()
    keep = []
    for tensor, array in zip(tensors, arrays):
        extents = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        tensor.data, tensor.extents = array.ctypes.data, extents
        keep.append((array, extents))
    tensors.keep = keep
    return tensors
