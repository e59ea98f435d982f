# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The importer's work on text, which needs neither onnx nor torch-mlir."""
import pytest

from diffuse_mlir.onnx_import.text import (ImportFailure, entry_parameters, mark_parameters, quote,
                                           refuse_foreign_dialects, split_top_level)

TEXT = ('module {\n  func.func @main(%arg0: tensor<1x4xf32>, %arg1: tensor<4x2xf32, #enc<[1, 2]>>)'
        ' -> tensor<1x2xf32> attributes {torch.assume_strict_symbolic_shapes} {\n  }\n}\n')


def test_parameters_are_marked_by_name():
    text = mark_parameters(TEXT, [None, 'fc "w"'])
    assert ('@main(%arg0: tensor<1x4xf32>, %arg1: tensor<4x2xf32, #enc<[1, 2]>> '
            '{diffuse.parameter = "fc \\22w\\22"}) -> tensor<1x2xf32> {') in text
    assert "torch." not in text


def test_the_number_of_arguments_must_fit():
    with pytest.raises(ImportFailure, match="2 arguments where 1 were expected"):
        mark_parameters(TEXT, [None])


def test_a_module_without_main_is_refused():
    with pytest.raises(ImportFailure, match="no function @main"):
        mark_parameters("module {}", [])


def test_parameters_are_read_back():
    text = ('func.func @main(%arg0: tensor<1x4xf32>, %arg1: tensor<4x2xf32> {diffuse.parameter = "w"}, '
            '%arg2: tensor<f32> {diffuse.parameter}) -> tensor<1x2xf32> {}')
    assert entry_parameters(text) == [("w", (4, 2)), ("arg2", ())]


@pytest.mark.parametrize("line, name", [
    ("%0:2 = tm_tensor.sort dimension(0) outs(%a : tensor<4xf32>)", "tm_tensor.sort"),
    ('%1 = "tm_tensor.scan"(%a)', None),  # generic form is not printed by the importer
    ("%1 = torch.operator.onnx %a", "torch.operator.onnx"),
    ("%torch.x = arith.constant 1 : i32", None),
])
def test_ops_outside_mlir_are_named(line, name):
    text = "module {\n" + line + "\n}"
    if name is None:
        refuse_foreign_dialects(text)
        return
    with pytest.raises(ImportFailure, match=f"line 2 .*'{name}'"):
        refuse_foreign_dialects(text)


def test_quoting():
    assert quote("a.b/c") == '"a.b/c"'
    assert quote('q"\\\u00e9') == '"q\\22\\5C\\C3\\A9"'


def test_splitting_minds_arrows_and_brackets():
    assert split_top_level("%a: tensor<2xf32>, %f: (i32, i32) -> i32 {x = [1, 2]}") == [
        "%a: tensor<2xf32>", "%f: (i32, i32) -> i32 {x = [1, 2]}"]
    assert split_top_level("") == []
