# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What depends on parameters alone is computed once, when a handle is created.

The modules are made at random: parameters of rank 1 go through arithmetic as in
a batch normalization, weights through transposes and products, and an input
meets the outcome in a product. numpy computes what is expected.
"""
import json

import numpy as np
import pytest

from diffuse_mlir import Model
from diffuse_mlir.safetensors import save

ROWS, DEEP, WIDE = 5, 8, 6


class Module:
    """The text of a module, with the value of every tensor in it."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.lines, self.arguments, self.parameters, self.values = [], [], {}, {}

    def number(self, shape):
        return self.random.uniform(0.5, 1.5, shape).astype(np.float32)

    def name(self, value):
        name = f"%{len(self.values)}"
        self.values[name] = value
        return name

    def argument(self, shape, is_parameter):
        name = self.name(self.number(shape))
        mark = ""
        if is_parameter:
            key = f"p{len(self.parameters)}"
            self.parameters[key] = self.values[name]
            mark = f' {{diffuse.parameter = "{key}"}}'
        self.arguments.append(f"{name.replace('%', '%a')}: {kind(shape)}{mark}")
        self.values[name.replace("%", "%a")] = self.values.pop(name)
        return name.replace("%", "%a")

    def constant(self, shape):
        name = self.name(self.number(shape))
        text = json.dumps(self.values[name].astype(float).tolist())
        self.lines.append(f"{name} = arith.constant dense<{text}> : {kind(shape)}")
        return name

    def empty(self, shape):
        name = self.name(np.empty(shape, np.float32))
        self.lines.append(f"{name} = tensor.empty() : {kind(shape)}")
        return name

    def op(self, op, *operands):
        """An elementwise op of linalg."""
        compute = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "rsqrt": lambda a: 1 / np.sqrt(a),
                   "exp": np.exp, "max": np.maximum}[op]
        value = compute(*(self.values[o] for o in operands)).astype(np.float32)
        out = self.empty(value.shape)
        name = self.name(value)
        types = ", ".join([kind(value.shape)] * len(operands))
        self.lines.append(f"{name} = linalg.{op} ins({', '.join(operands)} : {types}) "
                          f"outs({out} : {kind(value.shape)}) -> {kind(value.shape)}")
        return name

    def transpose(self, operand):
        value = np.ascontiguousarray(self.values[operand].T)
        out = self.empty(value.shape)
        name = self.name(value)
        self.lines.append(f"{name} = linalg.transpose ins({operand} : {kind(value.shape[::-1])}) "
                          f"outs({out} : {kind(value.shape)}) permutation = [1, 0]")
        return name

    def matmul(self, left, right):
        value = self.values[left] @ self.values[right]
        shapes = [kind(self.values[o].shape) for o in (left, right)]
        out, zero = self.empty(value.shape), f"%z{len(self.lines)}"
        self.lines.append(f"{zero} = arith.constant 0.0 : f32")
        start, name = self.name(np.zeros_like(value)), self.name(value)
        self.lines.append(f"{start} = linalg.fill ins({zero} : f32) outs({out} : {kind(value.shape)}) -> {kind(value.shape)}")
        self.lines.append(f"{name} = linalg.matmul ins({left}, {right} : {', '.join(shapes)}) "
                          f"outs({start} : {kind(value.shape)}) -> {kind(value.shape)}")
        return name

    def rows(self, op, left, right):
        """left[i, j] op right[j]"""
        compute = {"mulf": np.multiply, "addf": np.add}[op]
        value = compute(self.values[left], self.values[right])
        out, name = self.empty(value.shape), self.name(value)
        self.lines.append(
            f"{name} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, "
            f'affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}} '
            f"ins({left}, {right} : {kind(value.shape)}, {kind(value.shape[1:])}) outs({out} : {kind(value.shape)}) {{\n"
            f"^bb0(%l: f32, %r: f32, %o: f32):\n  %s = arith.{op} %l, %r : f32\n  linalg.yield %s : f32\n"
            f"}} -> {kind(value.shape)}")
        return name

    def text(self, results):
        types = ", ".join(kind(self.values[r].shape) for r in results)
        body = "\n".join(self.lines)
        return (f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n{body}\n"
                f"return {', '.join(results)} : {types}\n}}\n")


def kind(shape):
    return f"tensor<{'x'.join(map(str, [*shape, 'f32']))}>"


def random_module(seed):
    """(module, names of its inputs, names of its results)."""
    module = Module(seed)
    choose = module.random.integers
    x = module.argument((ROWS, DEEP), False)
    weight = module.argument((WIDE, DEEP), True)
    vectors = [module.argument((WIDE,), True) for _ in range(3)] + [module.constant((WIDE,))]
    for _ in range(choose(2, 6)):
        op = ["add", "sub", "mul", "rsqrt", "exp", "max"][choose(6)]
        picked = [vectors[choose(len(vectors))] for _ in range(1 if op in ("rsqrt", "exp") else 2)]
        if op == "rsqrt":
            picked = [module.op("exp", *picked)]
        vectors.append(module.op(op, *picked))
    if choose(2):
        weight = module.op("mul", weight, weight)
    product = module.matmul(x, module.transpose(weight))
    if choose(2):
        square = module.matmul(module.transpose(weight), weight)
        product = module.op("add", product, module.matmul(module.matmul(x, square), module.transpose(weight)))
    result = module.rows("mulf", product, vectors[choose(len(vectors))])
    result = module.rows("addf", result, vectors[-1])
    results = [result] + ([vectors[choose(4, len(vectors))]] if choose(2) else [])
    return module, [x], results


def compile_library(tool, text, tmp_path, name, *options):
    (tmp_path / "m.mlir").write_text(text)
    tool("diffuse-compile", "m.mlir", "-o", f"{name}.so", *options).succeeds()
    return tmp_path / f"{name}.so"


@pytest.mark.parametrize("seed", range(8))
def test_what_random_modules_prepare_is_right(tool, tmp_path, seed):
    module, inputs, results = random_module(seed)
    save(tmp_path / "w.safetensors", module.parameters)
    expected = [module.values[r] for r in results]
    for name, options in ("default", []), ("none", ["--schedules=none"]):
        path = compile_library(tool, module.text(results), tmp_path, name, *options)
        model = Model(path, tmp_path / "w.safetensors")
        assert model.description["preparations"] and model.description["prepared_bytes"] % 64 == 0
        for _ in range(2):
            found = model(*(module.values[i] for i in inputs))
            for mine, theirs in zip(found if len(results) > 1 else [found], expected):
                np.testing.assert_allclose(mine, theirs, rtol=3e-4)
        model.close()


def scaled_rows():
    """x[i, j] * exp(w)[j]"""
    module = Module(1)
    x = module.argument((ROWS, WIDE), False)
    w = module.argument((WIDE,), True)
    return module, module.text([module.rows("mulf", x, module.op("exp", w))])


def test_handles_with_other_parameters_are_independent(tool, tmp_path):
    _, text = scaled_rows()
    path = compile_library(tool, text, tmp_path, "m")
    weights = [np.linspace(k, k + 1, WIDE, dtype=np.float32) for k in (0, 1)]
    models = []
    for k, weight in enumerate(weights):
        save(tmp_path / f"{k}.safetensors", {"p0": weight})
        models.append(Model(path, tmp_path / f"{k}.safetensors"))
    x = np.ones((ROWS, WIDE), np.float32)
    for _ in range(2):
        for model, weight in zip(models, weights):
            np.testing.assert_allclose(model(x), x * np.exp(weight), rtol=1e-5)
    models[0].close()
    np.testing.assert_allclose(models[1](x), x * np.exp(weights[1]), rtol=1e-5)


def test_embedded_parameters_are_prepared(tool, tmp_path):
    module, text = scaled_rows()
    save(tmp_path / "w.safetensors", module.parameters)
    path = compile_library(tool, text, tmp_path, "m", "--embed-parameters", "--parameters=w.safetensors")
    x = np.ones((ROWS, WIDE), np.float32)
    np.testing.assert_allclose(Model(path)(x), x * np.exp(module.parameters["p0"]), rtol=1e-5)


def test_constants_are_prepared(tool, tmp_path):
    module = Module(2)
    x, constant = module.argument((ROWS, WIDE), False), module.constant((WIDE,))
    result = module.rows("mulf", x, module.op("exp", constant))
    path = compile_library(tool, module.text([result]), tmp_path, "m")
    model = Model(path)
    assert len(model.description["preparations"]) == 1 and len(model.description["calls"]) == 1
    np.testing.assert_allclose(model(module.values[x]), module.values[result], rtol=1e-5)


def test_a_run_profiles_its_own_calls(tool, tmp_path):
    _, text = scaled_rows()
    path = compile_library(tool, text, tmp_path, "m")
    report = json.loads(tool("diffuse-run", path, "--bench=0.01", "--profile", "--json").succeeds().out)
    names = [call["subgraph"] for call in report["profile"]]
    description = Model(path, parameters_of(tmp_path)).description
    assert names == [call["subgraph"] for call in description["calls"]]
    assert not set(names) & {call["subgraph"] for call in description["preparations"]}


def parameters_of(tmp_path):
    save(tmp_path / "w.safetensors", {"p0": np.ones(WIDE, np.float32)})
    return tmp_path / "w.safetensors"


def test_a_library_is_the_same_twice(tool, tmp_path):
    module, _, results = random_module(3)
    texts = [compile_library(tool, module.text(results), tmp_path, "m", "--target=cpu:x86-64-v3").read_bytes()
             for _ in range(2)]
    assert texts[0] == texts[1]


def test_what_no_run_calls_is_not_searched(tool, tmp_path):
    _, text = scaled_rows()
    (tmp_path / "m.mlir").write_text(text)
    tool("diffuse-tune", "m.mlir", "--measurer=fake", "--budget=20", "--records=r.jsonl", "--summary=s.json",
         "-o", "tuned.mlir").succeeds()
    summary = json.loads((tmp_path / "s.json").read_text())
    assert len(summary["prepared"]) == 1 and summary["unmeasured"] == 0
    assert not set(summary["prepared"]) & {entry["name"] for entry in summary["subgraphs"]}
    # Nothing of it is missing when all schedules must be there.
    tool("diffuse-compile", "tuned.mlir", "--on-unscheduled=error", "-o", "a.so").succeeds()
    tool("diffuse-compile", "m.mlir", "--records=r.jsonl", "--on-unscheduled=error", "-o", "b.so").succeeds()
    dry = tool("diffuse-tune", "m.mlir", "--dry-run", "--records=none").succeeds()
    assert f"{summary['prepared'][0]} runs once for each handle" in dry.out


# A product with several rows reads its weights in panels.
LARGE = """
func.func @main(%x: tensor<8x4096xf32>, %w: tensor<4096x4096xf32> {diffuse.parameter = "w"}) -> tensor<8x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %r = linalg.matmul ins(%x, %w : tensor<8x4096xf32>, tensor<4096x4096xf32>) outs(%f : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  return %r : tensor<8x4096xf32>
}
"""


def resident_bytes():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_what_was_prepared_from_does_not_stay_in_memory(tool, tmp_path):
    (tmp_path / "model.mlir").write_text(LARGE)
    weight = np.random.default_rng(0).uniform(1, 2, (4096, 4096)).astype(np.float32)
    save(tmp_path / "w.safetensors", {"w": weight})
    tool("diffuse-compile", "model.mlir", "-o", "model.so").succeeds()
    before = resident_bytes()
    model = Model(tmp_path / "model.so", tmp_path / "w.safetensors")
    taken = resident_bytes() - before
    assert model.description["prepared_bytes"] >= weight.nbytes
    assert weight.nbytes < taken < 1.5 * weight.nbytes
    x = np.random.default_rng(1).uniform(0, 1, (8, 4096)).astype(np.float32)
    np.testing.assert_allclose(model(x), x @ weight, rtol=1e-4)
    model.close()
