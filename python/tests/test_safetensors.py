# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The .safetensors reader and writer."""
import json

import numpy as np
import pytest

from diffuse_mlir import safetensors


def test_what_is_saved_is_loaded(tmp_path):
    tensors = {
        "weight": np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2],
        "scalar": np.array(7, np.int64),
        "empty": np.zeros((0, 5), np.float16),
        "flags": np.array([True, False]),
        "big endian": np.array([1, 2], ">i4"),
    }
    safetensors.save(tmp_path / "t.safetensors", tensors)
    loaded = safetensors.load(tmp_path / "t.safetensors")
    assert list(loaded) == list(tensors)
    for name, array in tensors.items():
        assert loaded[name].shape == array.shape
        np.testing.assert_array_equal(loaded[name], array)


def test_the_layout_is_the_published_one(tmp_path):
    path = tmp_path / "t.safetensors"
    safetensors.save(path, {"a": np.array([1.5], np.float32)})
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    assert (length + 8) % 64 == 0
    assert json.loads(data[8:8 + length]) == {
        "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    assert data[8 + length:] == np.float32(1.5).tobytes()


def test_an_element_type_without_a_name_is_refused(tmp_path):
    with pytest.raises(ValueError, match="complex64"):
        safetensors.save(tmp_path / "t", {"a": np.zeros(2, np.complex64)})


def test_the_key_that_is_no_tensor_is_refused(tmp_path):
    with pytest.raises(ValueError, match="can have the name '__metadata__'"):
        safetensors.save(tmp_path / "t", {"__metadata__": np.zeros(2)})
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("data, message", [
    (b"short", "too short"),
    ((1000).to_bytes(8, "little") + b"{}", "the header is 1000 bytes long"),
    ((60).to_bytes(8, "little") + b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'.ljust(60),
     "'a' lies outside the file"),
    ((60).to_bytes(8, "little") + b'{"a":{"dtype":"F4","shape":[2],"data_offsets":[0,0]}}'.ljust(60),
     "element type F4"),
])
def test_broken_files_are_refused(tmp_path, data, message):
    (tmp_path / "t").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        safetensors.load(tmp_path / "t")
