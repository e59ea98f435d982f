# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compile(): what it makes of each kind of model; the tools are rigged."""
import pathlib
import sys
import threading
import time
import types

import pytest

from diffuse_mlir import compiling


class Calls(list):
    """What was called, and the version that the tools say they are."""


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Calls of tools as lists of words; each -o is written."""
    made, version = Calls(), ["diffuse-tune 1"]
    made.version = version

    def run_tool(name, *arguments, show=False):
        words = [name, *map(str, arguments)]
        if words[1:] == ["--version"]:
            return version[0]
        made.append(words)
        pathlib.Path(words[words.index("-o") + 1]).write_text(name)
        return ""
    monkeypatch.setenv("DIFFUSE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiling, "run_tool", run_tool)
    monkeypatch.setattr(compiling, "Model", lambda library, parameters: (library, parameters))
    monkeypatch.setattr(compiling, "_import", imported)
    return made


def imported(path, weights=True):
    path.with_suffix(".mlir").write_text("imported")
    if weights:
        path.with_suffix(".safetensors").write_text("weights")


def test_text_is_tuned_then_compiled(calls):
    library, parameters = compiling.compile("func.func @main() {\n}\n", budget="7s", show=False)
    tune, build = calls
    assert tune[0] == "diffuse-tune" and "--budget=7s" in tune and "--progress=none" in tune
    assert build[:2] == ["diffuse-compile", str(library.parent / "tuned.mlir")]
    assert library.exists() and parameters is None


def test_the_same_model_keeps_its_records(calls, tmp_path):
    first = compiling.compile("func.func @a() {\n}\n")[0].parent
    again = compiling.compile("func.func @a() {\n}\n")[0].parent
    other = compiling.compile("func.func @b() {\n}\n")[0].parent
    assert first == again != other
    assert first.is_relative_to(tmp_path / "cache")


def test_onnx_brings_its_parameters(calls, tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"onnx")
    library, parameters = compiling.compile(tmp_path / "net.onnx", folder=tmp_path / "work")
    assert parameters == tmp_path / "work" / "model.safetensors"
    assert (tmp_path / "work" / "model.mlir").read_text() == "imported"


def test_onnx_without_weights_has_no_parameters(calls, tmp_path, monkeypatch):
    monkeypatch.setattr(compiling, "_import", lambda path: imported(path, weights=False))
    (tmp_path / "net.onnx").write_bytes(b"onnx")
    assert compiling.compile(tmp_path / "net.onnx")[1] is None


def test_torch_modules_are_exported(calls, monkeypatch):
    torch = types.ModuleType("torch")
    torch.onnx = types.SimpleNamespace(export=lambda m, i, f, opset_version: f.write(b"exported"))
    monkeypatch.setitem(sys.modules, "torch", torch)

    class Module:
        def state_dict(self):
            return {}

        def eval(self):
            return self
    library, _ = compiling.compile(Module(), inputs=(1,))
    assert (library.parent / "model.onnx").read_bytes() == b"exported"
    with pytest.raises(ValueError, match="example inputs"):
        compiling.compile(Module())


def test_another_kind_of_file_is_refused(calls):
    with pytest.raises(ValueError, match="ends in .onnx or .mlir"):
        compiling.compile("model.pt")


def records_of(calls):
    return next(word for word in calls[0] if word.startswith("--records="))


def test_what_is_built_goes_by_all_that_it_depends_on(calls):
    def build(**options):
        calls.clear()
        library, _ = compiling.compile("func.func @main() {\n}\n", **options)
        return library.parent, records_of(calls)
    first, records = build()
    assert build() == (first, records)
    for options in ({"numerics": "strict"}, {"denormals": "flush"}, {"target": "cpu:x86-64-v3"}):
        folder, same = build(**options)
        assert folder != first and same == records
        name, value = options.popitem()
        assert all(f"--{name}={value}" in call for call in calls)
    calls.version[0] = "diffuse-tune 2"
    assert build()[0] != first


def test_processes_that_share_a_folder_take_turns(calls, tmp_path, capsys):
    from diffuse_mlir.files import locked
    held = tmp_path / "work"
    held.mkdir()
    ready, done = threading.Event(), []

    def hold():
        with locked(held / "lock"):
            ready.set()
            time.sleep(0.5)
            done.append(len(calls))
    holder = threading.Thread(target=hold)
    holder.start()
    ready.wait()
    compiling.compile("func.func @main() {\n}\n", folder=held)
    holder.join()
    assert done == [0], "nothing runs while another holds the folder"
    assert "waiting for another process" in capsys.readouterr().err


def test_sketches_are_handed_on(calls, tmp_path):
    mine = tmp_path / "mine.mlir"
    mine.write_text("one")
    first = compiling.compile("func.func @a() {\n}\n", sketches=[mine], sketches_only=True)[0].parent
    assert f"--sketches={mine}" in calls[0] and "--sketches-only" in calls[0]
    assert not any(word.startswith("--sketches") for word in calls[1])
    plain = compiling.compile("func.func @a() {\n}\n")[0].parent
    beside = compiling.compile("func.func @a() {\n}\n", sketches=[mine])[0].parent
    mine.write_text("two")
    changed = compiling.compile("func.func @a() {\n}\n", sketches=[mine])[0].parent
    assert len({first, plain, beside, changed}) == 4
    assert {folder.parent for folder in (first, plain, beside, changed)} == {first.parent}
