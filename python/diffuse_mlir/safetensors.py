# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes .safetensors files: named tensors in one mappable file.

The format is small enough to need no package: eight bytes with the length of a
JSON header, the header (for each tensor its type, shape and byte range), then
the bytes. The header is padded so that the data starts at a multiple of 64, as
compiled code that maps the file likes it.
"""
import json

import numpy as np

from .files import replacing

METADATA = "__metadata__"  # a key of the header that is no tensor
_ALIGNMENT = 64
_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4",
    "I16": "<i2", "I8": "|i1", "U64": "<u8", "U32": "<u4", "U16": "<u2",
    "U8": "|u1", "BOOL": "|b1",
}
_NAMES = {np.dtype(text): name for name, text in _TYPES.items()}


def _type_name(array):
    # numpy has no bfloat16 of its own; ml_dtypes' is recognised by its name.
    if array.dtype.name == "bfloat16":
        return "BF16"
    name = _NAMES.get(array.dtype.newbyteorder("<"))
    if name is None:
        raise ValueError(f"safetensors has no element type for {array.dtype}")
    return name


def save(path, tensors):
    """Writes {name: array} to `path`, in the order of the dictionary. Arrays
    that map the file as it was keep their values."""
    if METADATA in tensors:
        raise ValueError(f"no tensor in a safetensors file can have the name {METADATA!r}")
    header, offset, arrays = {}, 0, []
    for name, value in tensors.items():
        # ascontiguousarray makes a scalar rank 1, so the shape is kept apart.
        value = np.asarray(value)
        array = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        end = offset + array.nbytes
        header[name] = {"dtype": _type_name(array), "shape": list(value.shape),
                        "data_offsets": [offset, end]}
        arrays.append(array)
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNMENT)
    with replacing(path) as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for array in arrays:
            file.write(array.tobytes())


def load(path):
    """Reads `path` into {name: array}; the arrays map the file, read-only."""
    data = np.memmap(path, dtype=np.uint8, mode="r")
    if data.size < 8:
        raise ValueError(f"{path}: too short for a safetensors file")
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > data.size - 8:
        raise ValueError(f"{path}: the header is {length} bytes long, the file {data.size}")
    header = json.loads(data[8:8 + length].tobytes())
    header.pop(METADATA, None)
    body = data[8 + length:]
    return {name: _view(path, name, entry, body) for name, entry in header.items()}


def _view(path, name, entry, body):
    if entry["dtype"] not in _TYPES:
        raise ValueError(f"{path}: tensor {name!r} has element type "
                         f"{entry['dtype']}, which numpy lacks")
    begin, end = entry["data_offsets"]
    if not 0 <= begin <= end <= body.size:
        raise ValueError(f"{path}: tensor {name!r} lies outside the file")
    return body[begin:end].view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
