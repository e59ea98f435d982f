# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples do what they say, from the shell, from C and from Python."""
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

from diffuse_mlir import Model, compile, safetensors
from diffuse_mlir.tools import ToolFailure

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "matmul-relu.mlir"
CC = shutil.which("cc") or shutil.which("gcc")


def test_the_shell_example(tool):
    tool("diffuse-tune", EXAMPLE, "--budget=20", "--progress=plain", "-o", "tuned.mlir").succeeds()
    tool("diffuse-run", "tuned.mlir", "--check", "--bench").succeeds()


def test_the_example_of_a_schedule(tool, tmp_path):
    schedule = ROOT / "examples" / "matmul-schedule.mlir"
    tool("diffuse-tune", EXAMPLE, f"--sketches={schedule}", "--sketches-only", "--budget=12", "--progress=plain",
         "-o", "tuned.mlir").succeeds()
    names = {record["sketch"] for record in map(json.loads, (tmp_path / "tuned.records.jsonl").open())
             if record["kind"] == "measurement"}
    assert names == {"contraction_tile", "matmul-schedule"}
    tool("diffuse-run", "tuned.mlir", "--check").succeeds()


@pytest.mark.skipif(CC is None, reason="no C compiler")
def test_the_c_example(tool, tmp_path):
    tool("diffuse-compile", EXAMPLE, "--emit=so", "-o", "matmul_relu.so").succeeds()
    subprocess.run([CC, f"-I{ROOT / 'include'}", ROOT / "examples" / "call_model.c", "./matmul_relu.so",
                    "-o", "call_model"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "call_model"], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "385\n"), done


def test_a_library_needs_no_mlir(tool, tmp_path):
    tool("diffuse-compile", EXAMPLE, "--emit=so", "-o", "a.so").succeeds()
    if not shutil.which("readelf"):
        pytest.skip("no readelf")
    needed = subprocess.run(["readelf", "-d", "a.so"], cwd=tmp_path, capture_output=True, text=True).stdout
    needed = [line.split("[")[1].split("]")[0] for line in needed.splitlines() if "(NEEDED)" in line]
    assert set(needed) <= {"libc.so.6", "libm.so.6"}


def test_two_models_live_in_one_program(tool, tmp_path):
    for name in ("one", "two"):
        tool("diffuse-compile", EXAMPLE, "--emit=so", "-o", f"{name}.so").succeeds()
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (128, 768)).astype(np.float32)
    results = []
    for name in ("one", "two"):
        weights = {"weight": rng.uniform(-1, 1, (768, 3072)).astype(np.float32),
                   "bias": rng.uniform(-1, 1, 3072).astype(np.float32)}
        safetensors.save(tmp_path / f"{name}.safetensors", weights)
        model = Model(tmp_path / f"{name}.so", tmp_path / f"{name}.safetensors")
        results.append((model, np.maximum(x @ weights["weight"] + weights["bias"], 0)))
    for model, expected in results:
        np.testing.assert_allclose(model(x), expected, rtol=1e-4, atol=1e-3)


def test_compile_from_python(tmp_path, monkeypatch):
    monkeypatch.setenv("DIFFUSE_CACHE_DIR", str(tmp_path / "cache"))
    text = """
        func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : tensor<64x48xf32>
          %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
          %r = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
                             outs(%i : tensor<64x48xf32>) -> tensor<64x48xf32>
          return %r : tensor<64x48xf32>
        }"""
    try:
        model = compile(text, budget="10", show=False)
    except ToolFailure as failure:
        if "was not found" in str(failure):
            pytest.skip(str(failure))
        raise
    rng = np.random.default_rng(0)
    a, b = (rng.uniform(-1, 1, s).astype(np.float32) for s in ((64, 32), (32, 48)))
    np.testing.assert_allclose(model(a, b), a @ b, rtol=1e-4, atol=1e-5)
    assert list((tmp_path / "cache" / "models").glob("*/records.jsonl")), os.listdir(tmp_path / "cache")
