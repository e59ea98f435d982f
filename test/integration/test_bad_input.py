# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user gets wrong: a message, the right exit status, no output file.

1 is for the input or the run, 2 for the command line.
"""
import os

import pytest

TUNE = ["diffuse-tune", "--budget=0", "--progress=none", "-o", "out.mlir"]
COMPILE = ["diffuse-compile", "--emit=so", "-o", "out.so"]
RUN = ["diffuse-run"]
COMMANDS = pytest.mark.parametrize("command", [TUNE, COMPILE, RUN], ids=lambda c: c[0])


def no_output(tmp_path):
    return not [f for f in os.listdir(tmp_path) if f.startswith("out")]


@COMMANDS
def test_a_file_that_is_absent(tool, tmp_path, command):
    tool(command[0], "nowhere.mlir", *command[1:]).fails("nowhere.mlir")
    assert no_output(tmp_path)


@COMMANDS
def test_a_file_that_is_not_mlir(tool, tmp_path, command):
    (tmp_path / "prose.mlir").write_text("Dear reader,\n")
    tool(command[0], "prose.mlir", *command[1:]).fails("prose.mlir:1")
    assert no_output(tmp_path)


@COMMANDS
def test_a_module_that_does_not_verify(tool, tmp_path, command):
    (tmp_path / "broken.mlir").write_text(
        "func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {\n  return %a : tensor<4xf32>\n}\n")
    tool(command[0], "broken.mlir", *command[1:]).fails("broken.mlir:2")
    assert no_output(tmp_path)


@COMMANDS
def test_an_empty_file(tool, tmp_path, command):
    (tmp_path / "empty.mlir").write_text("")
    tool(command[0], "empty.mlir", *command[1:]).fails("empty.mlir")
    assert no_output(tmp_path)


@pytest.mark.parametrize("command", [TUNE, COMPILE], ids=lambda c: c[0])
def test_a_module_with_nothing_to_do(tool, tmp_path, inputs, command):
    tool(command[0], inputs / "no-linalg.mlir", *command[1:]).fails("no-linalg.mlir")
    assert no_output(tmp_path)


@COMMANDS
def test_an_unknown_entry(tool, tmp_path, inputs, command):
    tool(command[0], inputs / "matmul.mlir", *command[1:], "--entry=absent").fails("absent", "main")
    assert no_output(tmp_path)


@COMMANDS
def test_an_entry_that_must_be_chosen(tool, tmp_path, inputs, command):
    tool(command[0], inputs / "two-entries.mlir", *command[1:]).fails("first", "second")
    assert no_output(tmp_path)


@pytest.mark.parametrize("command", [TUNE, COMPILE], ids=lambda c: c[0])
@pytest.mark.parametrize("target", ["toaster", "cpu:no-such-cpu"])
def test_an_unknown_target(tool, tmp_path, inputs, command, target):
    result = tool(command[0], inputs / "matmul.mlir", *command[1:], f"--target={target}")
    assert result.status in (1, 2) and target.split(":")[-1] in result.err, result
    assert no_output(tmp_path)


@pytest.mark.parametrize("budget", ["-5s", "5 parsecs", ""])
def test_a_budget_that_is_none(tool, tmp_path, inputs, budget):
    tool("diffuse-tune", inputs / "matmul.mlir", f"--budget={budget}", "-o", "out.mlir").fails(
        "budget", status=2)
    assert no_output(tmp_path)


@COMMANDS
def test_an_unknown_option(tool, tmp_path, inputs, command):
    tool(command[0], inputs / "matmul.mlir", *command[1:], "--frobnicate").fails("frobnicate", status=2)
    assert no_output(tmp_path)


def test_an_output_that_cannot_be_written(tool, tmp_path, inputs):
    for command in (TUNE, COMPILE):
        result = tool(command[0], inputs / "matmul.mlir", *command[1:-1], "no/such/folder/out")
        assert result.status in (1, 2) and "no/such/folder" in result.err, result


def test_an_unknown_kind_of_output(tool, tmp_path, inputs):
    tool("diffuse-compile", inputs / "matmul.mlir", "--emit=stone", "-o", "out").fails("stone", status=2)
    assert no_output(tmp_path)


def test_parameters_of_another_network(tool, tmp_path, inputs):
    import numpy as np
    from diffuse_mlir import safetensors
    safetensors.save(tmp_path / "other.safetensors", {"v": np.zeros((96, 80), np.float32)})
    safetensors.save(tmp_path / "shape.safetensors", {"w": np.zeros((8, 8), np.float32)})
    safetensors.save(tmp_path / "type.safetensors", {"w": np.zeros((96, 80), np.float64)})
    (tmp_path / "junk.safetensors").write_bytes(b"\xff" * 64)
    for file, words in [("other", ["w"]), ("shape", ["w"]), ("type", ["w"]), ("junk", []), ("absent", [])]:
        tool("diffuse-run", inputs / "matmul.mlir",
             f"--parameters={file}.safetensors").fails(f"{file}.safetensors", *words)


def test_unscheduled_subgraphs_can_be_refused(tool, tmp_path, inputs):
    tool("diffuse-compile", inputs / "matmul.mlir", "--on-unscheduled=error", "--emit=so",
         "-o", "out.so").fails("matmul.mlir")
    assert no_output(tmp_path)
