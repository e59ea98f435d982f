# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The importer on small models; runs where onnx and torch-mlir are installed
(the importer's own environment has both)."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("torch_mlir")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from diffuse_mlir import safetensors  # noqa: E402
from diffuse_mlir.onnx_import import ImportFailure, constants, import_onnx, names  # noqa: E402

MLIR_OPT = shutil.which("mlir-opt-22")


def save(tmp_path, nodes, inputs, outputs, initializers=(), opset=17, element=TensorProto.FLOAT):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(n, element, s) for n, s in inputs],
        [helper.make_empty_tensor_value_info(n) for n in outputs],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in initializers])
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
    return path


def parses(text):
    if MLIR_OPT is None:
        return
    done = subprocess.run([MLIR_OPT, "-o", "/dev/null"], input=text, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[:1000]


def test_weights_become_marked_arguments(tmp_path):
    weight = np.ones((4, 3), np.float32)
    path = save(tmp_path, [helper.make_node("MatMul", ["x", "layer/w"], ["y"])],
                [("x", [2, 4])], ["y"], [("layer/w", weight)])
    text, weights = import_onnx(path)
    assert '%arg1: tensor<4x3xf32> {diffuse.parameter = "layer/w"}' in text
    assert "linalg.matmul" in text
    np.testing.assert_array_equal(weights["layer/w"], weight)
    parses(text)


def test_symbolic_dimensions_are_pinned_and_shapes_folded(tmp_path):
    nodes = [helper.make_node("Shape", ["x"], ["s"]),
             helper.make_node("Gather", ["s", "zero"], ["n"], axis=0),
             helper.make_node("Concat", ["n", "rest"], ["shape"], axis=0),
             helper.make_node("Reshape", ["x", "shape"], ["y"])]
    path = save(tmp_path, nodes, [("x", ["batch", 4, 5])], ["y"],
                [("zero", np.array([0], np.int64)), ("rest", np.array([20], np.int64))])
    text, weights = import_onnx(path, {"batch": 3})
    assert "tensor<3x4x5xf32>" in text and "tensor<3x20xf32>" in text and "?" not in text
    assert weights == {}
    parses(text)


def test_pixels_come_out_of_channels_in_order(tmp_path):
    path = save(tmp_path, [helper.make_node("DepthToSpace", ["x"], ["y"], blocksize=2, mode="CRD")],
                [("x", [1, 12, 3, 5])], ["y"])
    text, _ = import_onnx(path)
    assert "tensor<1x3x2x2x3x5xf32>" in text
    assert "permutation = [0, 1, 4, 2, 5, 3]" in text
    parses(text)


def test_splat_weights_keep_their_value(tmp_path):
    nodes = [helper.make_node("ConstantOfShape", ["shape"], ["w"],
                              value=numpy_helper.from_array(np.array([0.5], np.float32))),
             helper.make_node("MatMul", ["x", "w"], ["y"])]
    path = save(tmp_path, nodes, [("x", [2, 4])], ["y"], [("shape", np.array([4, 3], np.int64))])
    _, weights = import_onnx(path)
    np.testing.assert_array_equal(weights["w"], np.full((4, 3), 0.5, np.float32))


@pytest.mark.parametrize("node, message", [
    (helper.make_node("DFT", ["x"], ["y"]), "does not lower the ONNX operator DFT"),
    (helper.make_node("CumSum", ["x", "axis"], ["y"]), "'tm_tensor.scan', which is not in MLIR"),
])
def test_an_operator_that_cannot_be_lowered_is_named(tmp_path, node, message):
    path = save(tmp_path, [node], [("x", [1, 3, 2])], ["y"], [("axis", np.array(0))])
    with pytest.raises(ImportFailure, match=message):
        import_onnx(path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "m.onnx").write_text("no model")
    with pytest.raises(ImportFailure, match="is not an ONNX model"):
        import_onnx(tmp_path / "m.onnx")


def test_names_made_safe_stay_apart(tmp_path):
    """Two constants, and a constant and a result, would come to share a name."""
    nodes = [helper.make_node("Relu", ["x"], ["a_b"]),
             helper.make_node("Add", ["a_b", "a.b"], ["p"]),
             helper.make_node("Mul", ["p", "a/b"], ["y"])]
    path = save(tmp_path, nodes, [("x", [2])], ["y"],
                [("a.b", np.array([5, 6], np.int64)), ("a/b", np.array([7, 8], np.int64))], element=TensorProto.INT64)
    text, weights = import_onnx(path)
    assert "dense<[5, 6]>" in text and "dense<[7, 8]>" in text and weights == {}
    parses(text)


def test_a_name_that_mlir_makes_longer_stays_apart():
    graph = helper.make_graph([helper.make_node("Add", ["1", "_1"], ["y"])], "g", [], [],
                              [numpy_helper.from_array(np.array([k]), n) for k, n in enumerate(["1", "_1"])])
    names.make_safe(graph)
    assert [i.name for i in graph.initializer] == list(graph.node[0].input) == ["_1_2", "_1"]


def test_names_of_subgraphs_are_kept_apart_and_followed(tmp_path):
    branches = {f"{kind}_branch": helper.make_graph(
        [helper.make_node("Add", ["x", constant], [f"k_{kind}"])], kind, [],
        [helper.make_tensor_value_info(f"k_{kind}", TensorProto.INT64, [2])])
        for kind, constant in [("then", "k.then"), ("else", "k.else")]}
    path = save(tmp_path, [helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
                           helper.make_node("Cast", ["s"], ["c"], to=TensorProto.BOOL),
                           helper.make_node("If", ["c"], ["y"], **branches)], [("x", [2])], ["y"],
                [("k.then", np.array([5, 6], np.int64)), ("k.else", np.array([7, 8], np.int64))],
                element=TensorProto.INT64)
    text, _ = import_onnx(path)
    assert "scf.if" in text and "dense<[5, 6]>" in text and "dense<[7, 8]>" in text
    parses(text)


def test_names_of_rewritten_operators_stay_apart(tmp_path):
    path = save(tmp_path, [helper.make_node("Neg", ["x"], ["y/split"]),
                           helper.make_node("DepthToSpace", ["y/split"], ["y"], blocksize=2, mode="CRD"),
                           helper.make_node("Abs", ["y/split"], ["z"])], [("x", [1, 12, 3, 5])], ["y", "z"])
    text, _ = import_onnx(path)
    assert text.count("arith.negf") == 1 and "tensor<1x12x3x5xf32>) {" in text
    parses(text)


def test_outputs_that_no_node_computes_alone(tmp_path):
    """An input, a weight, a small constant, and one output listed twice."""
    small = helper.make_node("Constant", [], ["a.b"], value_ints=[5, 6])
    path = save(tmp_path, [small, helper.make_node("Relu", ["x"], ["y"])],
                [("x", [2])], ["x", "w", "a.b", "y", "y"], [("w", np.ones((3, 4), np.float32))])
    text, weights = import_onnx(path)
    assert "-> (tensor<2xf32>, tensor<3x4xf32>, tensor<2xi64>, tensor<2xf32>, tensor<2xf32>)" in text
    assert "return %arg0, %arg1," in text and "dense<[5, 6]>" in text and list(weights) == ["w"]
    parses(text)


def test_a_weight_with_the_name_of_metadata_gets_another(tmp_path):
    path = save(tmp_path, [helper.make_node("MatMul", ["x", "__metadata__"], ["y"])],
                [("x", [2, 4])], ["y"], [("__metadata__", np.ones((4, 3), np.float32))])
    text, weights = import_onnx(path)
    assert list(weights) == ["__metadata___2"]
    assert '{diffuse.parameter = "__metadata___2"}' in text


def relu(tmp_path, shape, **options):
    return save(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], [("x", shape)], ["y"], **options)


@pytest.mark.parametrize("shape, dimensions, message", [
    (None, {}, "input 'x' has no shape"),
    ([0, 4], {}, "input 'x' has shape 0x4, so it holds nothing"),
    (["n", "m", 3], {"nosuch": 4}, "no input has a symbolic dimension 'nosuch'; there are: 'm', 'n'"),
    ([3], {"n": 4}, "no input has a symbolic dimension 'n'; there are: none"),
    (["n"], {"n": 0}, "dimension 'n' cannot have the extent 0"),
])
def test_shapes_are_not_guessed(tmp_path, shape, dimensions, message):
    with pytest.raises(ImportFailure, match=re.escape(message)):
        import_onnx(relu(tmp_path, shape), dimensions)


def test_a_result_of_unknown_rank_is_refused(tmp_path):
    path = save(tmp_path, [helper.make_node("Reshape", ["x", "s"], ["y"], name="r")],
                [("x", [4]), ("s", [1])], ["y"], element=TensorProto.INT64)
    model = onnx.load(path)
    del model.graph.input[1].type.tensor_type.shape.dim[:]
    model.graph.input[1].type.tensor_type.shape.dim.add()
    model.graph.node.insert(0, helper.make_node("NonZero", ["x"], ["z"]))
    model.graph.node.insert(1, helper.make_node("Squeeze", ["z"], ["q"]))
    model.graph.node[2].input[1] = "q"
    onnx.save(model, path)
    with pytest.raises(ImportFailure, match="the shape of 'q', a result of Squeeze, cannot be inferred"):
        import_onnx(path)


@pytest.mark.parametrize("nodes, message", [
    ([helper.make_node("FooBar", ["x"], ["y"])], "operator set 17 does not have the operator FooBar"),
    ([helper.make_node("Gelu", ["x"], ["y"], domain="com.x")], "does not have the operator com.x.Gelu"),
    ([helper.make_node("Relu", ["x"], ["z"])], "nothing computes the output 'y'"),
    ([helper.make_node("Relu", ["z"], ["y"], name="r"), helper.make_node("Relu", ["x"], ["z"])],
     "nothing before Relu 'r' computes its operand 'z'"),
    ([helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["y"])],
     "'y' is the name of two values, of which Neg computes one"),
    ([helper.make_node("Cast", ["x"], ["s"], to=TensorProto.STRING),
      helper.make_node("Cast", ["s"], ["y"], to=TensorProto.FLOAT)], "'s', a result of Cast, holds strings"),
    ([helper.make_node("ConstantOfShape", ["huge"], ["h"]), helper.make_node("ReduceSum", ["h"], ["y"])],
     "ConstantOfShape makes a tensor of 274877906944 bytes"),
    ([helper.make_node("Identity", ["huge"], ["i"]), helper.make_node("ConstantOfShape", ["i"], ["h"]),
      helper.make_node("ReduceSum", ["h"], ["y"])], "ConstantOfShape makes a tensor of 274877906944 bytes"),
    ([helper.make_node("ConstantOfShape", ["negative"], ["y"])], "makes a tensor with a negative extent: [-2]"),
])
def test_what_is_not_whole_is_refused_by_name(tmp_path, nodes, message):
    path = save(tmp_path, nodes, [("x", [3])], ["y"],
                [("huge", np.array([2**36])), ("negative", np.array([-2]))])
    with pytest.raises(ImportFailure, match=re.escape(message)):
        import_onnx(path)


def test_inputs_of_strings_are_refused(tmp_path):
    with pytest.raises(ImportFailure, match="input 'x' holds strings"):
        import_onnx(relu(tmp_path, [3], element=TensorProto.STRING))


def test_what_would_be_large_is_not_folded(tmp_path):
    lines = []
    path = save(tmp_path, [helper.make_node("Expand", ["c", "s"], ["e"]), helper.make_node("Add", ["x", "e"], ["y"])],
                [("x", [3])], ["y"], [("c", np.zeros(1, np.float32)), ("s", np.array([2**28, 3]))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "ReferenceEvaluator", None)
        import_onnx(path, report=lines.append)
    assert lines == ["Expand is not folded: its result has 3221225472 bytes"]


def test_the_operator_set_is_known_or_said_not_to_be(tmp_path):
    lines = []
    import_onnx(relu(tmp_path, [3], opset=99), report=lines.append)
    assert lines and "operator set 99 is newer than" in lines[0]
    model = onnx.load(relu(tmp_path, [3]))
    del model.opset_import[:]
    onnx.save(model, tmp_path / "m.onnx")
    with pytest.raises(ImportFailure, match="does not say which operator set"):
        import_onnx(tmp_path / "m.onnx")


def test_unsigned_elements_keep_their_bits(tmp_path):
    path = save(tmp_path, [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)],
                [("x", [3])], ["y"], element=TensorProto.UINT8)
    text, _ = import_onnx(path)
    assert "%arg0: tensor<3xi8>" in text and "arith.uitofp" in text


@pytest.mark.parametrize("kind", ["Clip", "Div", "Mod"])
def test_unsigned_elements_are_not_taken_for_signed_ones(tmp_path, kind):
    path = save(tmp_path, [helper.make_node(kind, ["x", "z"], ["y"], name="n")], [("x", [3]), ("z", [])], ["y"],
                element=TensorProto.UINT8)
    with pytest.raises(ImportFailure, match=f"takes the unsigned integers of {kind} 'n' for signed ones"):
        import_onnx(path)


def test_floats_become_unsigned_by_way_of_more_bits(tmp_path):
    path = save(tmp_path, [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.UINT8)], [("x", [3])], ["y"])
    text, _ = import_onnx(path)
    assert "arith.fptosi %in : f32 to i64" in text and "arith.trunci %in : i64 to i8" in text
    parses(text)


def command(*arguments):
    """Status and messages of the importer's command."""
    done = subprocess.run([sys.executable, "-m", "diffuse_mlir.onnx_import", *map(str, arguments)],
                          capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).resolve().parents[1])})
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def test_weights_are_written_where_there_are_some(tmp_path):
    weights = tmp_path / "o.safetensors"
    weights.write_bytes(b"of an earlier import")
    assert command(relu(tmp_path, [3]), "-o", tmp_path / "o.mlir")[0] == 0
    assert (tmp_path / "o.mlir").exists() and not weights.exists()
    path = save(tmp_path, [helper.make_node("Add", ["x", "w"], ["y"])], [("x", [3])], ["y"],
                [("w", np.ones(3, np.float32))])
    assert command(path, "-o", tmp_path / "o.mlir")[0] == 0
    assert list(safetensors.load(weights)) == ["w"]


def test_weights_beside_the_model_are_not_written_over(tmp_path):
    path = save(tmp_path, [helper.make_node("Add", ["x", "w"], ["y"])], [("x", [3])], ["y"],
                [("w", np.ones(3, np.float32))])
    onnx.save(onnx.load(path), path, save_as_external_data=True, location="m.safetensors", size_threshold=0)
    before = (tmp_path / "m.safetensors").read_bytes()
    status, messages = command(path, "-o", tmp_path / "m.mlir")
    assert status == 1 and "m.safetensors is also an input" in messages
    assert (tmp_path / "m.safetensors").read_bytes() == before and not (tmp_path / "m.mlir").exists()
    assert command(path, "-o", tmp_path / "o.mlir")[0] == 0
    np.testing.assert_array_equal(safetensors.load(tmp_path / "o.safetensors")["w"], np.ones(3, np.float32))
    (tmp_path / "m.safetensors").unlink()
    status, messages = command(path, "-o", tmp_path / "o.mlir")
    assert status == 1 and "cannot read the weights of" in messages


def test_a_broken_tensor_is_refused(tmp_path):
    path = save(tmp_path, [helper.make_node("Add", ["x", "w"], ["y"])], [("x", [3])], ["y"],
                [("w", np.ones(3, np.float32))])
    model = onnx.load(path)
    model.graph.initializer[0].raw_data = b"short"
    onnx.save(model, path)
    status, messages = command(path, "-o", tmp_path / "o.mlir")
    assert status == 1 and "m.onnx cannot be imported: ValueError" in messages


def test_a_model_that_holds_nothing_is_refused(tmp_path):
    (tmp_path / "m.onnx").touch()
    with pytest.raises(ImportFailure, match="it holds no graph"):
        import_onnx(tmp_path / "m.onnx")


def test_a_place_that_takes_no_file_is_named(tmp_path):
    status, messages = command(relu(tmp_path, [3]), "-o", "/proc/a.mlir")
    assert status == 1 and "cannot write /proc/a.mlir" in messages
