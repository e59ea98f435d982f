# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Environments of the package's own; nothing is downloaded here."""
import subprocess

import pytest

from diffuse_mlir import environment


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DIFFUSE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def folders(cache):
    return [f.name for f in cache.iterdir() if f.is_dir()]


def test_an_environment_is_made_once(cache, tmp_path):
    (tmp_path / "r.txt").write_text("# nothing\n")
    said = []
    python = environment.environment_python("t", tmp_path / "r.txt", said.append)
    assert subprocess.run([python, "-c", "import sys; assert sys.prefix != sys.base_prefix"]).returncode == 0
    assert environment.environment_python("t", tmp_path / "r.txt", said.append) == python
    assert len(said) == 1
    assert folders(cache) == [python.parent.parent.name]


def test_other_requirements_are_another_environment(cache, tmp_path):
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "b.txt").write_text("b\n")
    assert (environment.environment_folder("t", tmp_path / "a.txt")
            != environment.environment_folder("t", tmp_path / "b.txt"))


def test_a_failure_says_which_step(cache, tmp_path):
    (tmp_path / "r.txt").write_text("=== no requirement\n")
    with pytest.raises(environment.EnvironmentFailure, match="pip install .*package index"):
        environment.environment_python("t", tmp_path / "r.txt", lambda line: None)
    assert folders(cache) == []


def test_one_that_lacks_a_pin_is_made_anew(cache, tmp_path):
    (tmp_path / "r.txt").write_text("pip==1.0  # of long ago\nPyYAML == unpinned by this form\n")
    folder = environment.environment_folder("t", tmp_path / "r.txt")
    for name in ("bin", "lib/python3/site-packages/pip-2.0.dist-info"):
        (folder / name).mkdir(parents=True)
    (folder / "bin" / "python").touch()
    assert not environment._is_whole(folder, tmp_path / "r.txt")
    with pytest.raises(environment.EnvironmentFailure):
        environment.environment_python("t", tmp_path / "r.txt", lambda line: None)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    (folder / "lib/python3/site-packages/Pip-1.0.dist-info").mkdir(parents=True)
    assert environment._is_whole(folder, tmp_path / "r.txt")
    assert environment.environment_python("t", tmp_path / "r.txt") == folder / "bin" / "python"
