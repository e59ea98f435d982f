# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that several processes use."""
import os

import numpy as np
import pytest

from diffuse_mlir import files, safetensors


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "f"
    files.write_whole(path, "old")
    with pytest.raises(RuntimeError):
        with files.replacing(path) as file:
            file.write(b"half")
            raise RuntimeError
    assert path.read_text() == "old"
    files.write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert [f.name for f in tmp_path.iterdir()] == ["f"]


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path, monkeypatch):
    files.check_outputs([tmp_path / "a", tmp_path / "b"], [tmp_path / "c"])
    monkeypatch.chdir(tmp_path)
    files.check_outputs(["a"], ["c"])
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(files.FileFailure, match="cannot write .*a: the folder cannot be written to"):
        files.check_outputs([tmp_path / "a"])


def test_the_usual_rights(tmp_path):
    (tmp_path / "usual").touch()
    files.write_whole(tmp_path / "f", "")
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_lock_is_free_again(tmp_path):
    waited = []
    for _ in range(2):
        with files.locked(tmp_path / "lock", lambda: waited.append(1)):
            pass
    assert not waited


def test_mapped_tensors_outlive_a_new_file(tmp_path):
    safetensors.save(tmp_path / "w.safetensors", {"w": np.ones(100000)})
    mapped = safetensors.load(tmp_path / "w.safetensors")["w"]
    safetensors.save(tmp_path / "w.safetensors", {})
    assert os.path.getsize(tmp_path / "w.safetensors") < 1000
    assert mapped.sum() == 100000
