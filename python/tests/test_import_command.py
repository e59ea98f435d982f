# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the importer's command refuses before it needs its environment."""
import pytest

from diffuse_mlir import environment
from diffuse_mlir.onnx_import import __main__ as command


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    def fail():
        raise environment.EnvironmentFailure("an environment was asked for")
    monkeypatch.setattr(environment, "import_python", fail)
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: None)


def refusal(*arguments):
    with pytest.raises(SystemExit) as caught:
        command.main(list(map(str, arguments)))
    return caught.value.code


def test_a_model_is_a_file(tmp_path):
    assert refusal(tmp_path, "-o", tmp_path / "o.mlir") == (
        f"error: {tmp_path} is a folder; name the model's file in it")
    assert refusal(tmp_path / "m.onnx", "-o", tmp_path / "o.mlir") == f"error: {tmp_path / 'm.onnx'}: no such file"


@pytest.mark.parametrize("output, message", [
    ("m.onnx", "m.onnx is also an input; name another output"),
    ("link.mlir", "link.mlir is also an input; name another output"),
    ("linked.mlir", "linked.safetensors is also an input; name another output"),
    ("o.safetensors", "o.safetensors would be written twice; name another output"),
    ("folder", "folder is a folder; name a file in it"),
    ("weights.mlir", "weights.safetensors is a folder; name a file in it"),
    ("no/o.mlir", "no/o.mlir: there is no folder"),
    ("m.onnx/o.mlir", "m.onnx/o.mlir: there is no folder"),
    ("", "is a folder; name a file in it"),
    ("/dev/null", "/dev/null is not a regular file"),
    ("o.mlir", "an environment was asked for"),
])
def test_outputs_take_the_place_of_nothing_else(tmp_path, output, message):
    model = tmp_path / "m.onnx"
    model.write_text("model")
    for name in ("folder", "weights.safetensors"):
        (tmp_path / name).mkdir()
    for name in ("link.mlir", "linked.safetensors"):
        (tmp_path / name).symlink_to(model)
    assert message in refusal(model, "-o", tmp_path / output)
    assert model.read_text() == "model"
