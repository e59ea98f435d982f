# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The known hard cases: what each prints, whatever schedule runs it.

A case file carries in its header what its @main prints under stock MLIR's plain
loops. All these values are exact in their type, so they are compared exactly.
Cases without such a line are in the tests further down, by what they expect.
"""
import re

import pytest

import harness

# File name (without .mlir) of every case with a REF-OUTPUT.
PRINTING = """
01-prime-dims-nondividing-tiles 03-pad-expsum 04-zero-extent 06-scalar-operand
07-unsigned-cast-matmul 08-i1-matmul 10-quantized-conv 11-conv-stride-dilation-pad
13-argmax-two-results 15-column-gather 17-rank0-extract-in-body 19-repeated-dim-map
21-pack-unpack 22-multi-use-producer 24-inplace-alias 26-side-effect-in-body
29-unstructured-cfg 30-recursion 33-symbol-collisions 34-complex-elements
36-dense-resource 43-compile-hang 45-pack-index-op 47-expand-shape-two-dynamic-dims
""".split()

# Stock MLIR cannot lower this one; its header says what is right.
STATED = {"47-expand-shape-two-dynamic-dims": [((2, 3, 5), [4.0] * 30)]}

# The other cases: each has a test below.
SPECIAL = """
21b-pack-dynamic-zero-tile 27-uninitialized-outs 31-private-callee-external
36c-dense-resource-elided 37-big-matmul-limits 38-slow-candidate-timeout
39-tiny-op-noise 40-db-corruption-concurrency
""".split()

TUNE_BUDGET = "--budget=5s"


def expected(cases, name):
    return STATED.get(name) or harness.reference_output(cases / f"{name}.mlir")


def test_every_case_is_in_the_table(cases):
    assert {f.stem for f in cases.glob("*.mlir")} == {*PRINTING, *SPECIAL}


@pytest.mark.parametrize("schedules", ["none", "default"])
@pytest.mark.parametrize("name", PRINTING)
def test_prints_the_right_values(cases, tool, name, schedules):
    result = tool("diffuse-run", cases / f"{name}.mlir", f"--schedules={schedules}").succeeds()
    assert harness.parse_memrefs(result.out) == expected(cases, name), result


# Their only ops have side effects, so no subgraph holds them.
NOTHING_TO_TUNE = {"26-side-effect-in-body"}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTING)
def test_prints_the_right_values_after_tuning(cases, tool, name):
    result = tool("diffuse-tune", cases / f"{name}.mlir", TUNE_BUDGET, "--progress=none",
                  "-o", "tuned.mlir")
    if name in NOTHING_TO_TUNE:
        result.fails("nothing to tune")
        return
    result.succeeds()
    result = tool("diffuse-run", "tuned.mlir").succeeds()
    assert harness.parse_memrefs(result.out) == expected(cases, name), result


@pytest.mark.parametrize("name", [n for n in PRINTING + SPECIAL if not n.startswith("36c")])
def test_outlines_hashes_and_clusters(cases, tool, name):
    result = tool("diffuse-opt", cases / f"{name}.mlir", *harness.PASSES).succeeds()
    for body in harness.subgraphs(result.out).values():
        for attribute in ("exact_hash", "structure_hash", "family_hash", "cluster"):
            harness.attribute(body, attribute)


# -- what is told apart -------------------------------------------------------

def hashes_by_function(tool, path, kind):
    """{function: hashes of the subgraphs that it calls}."""
    text = tool("diffuse-opt", path, *harness.PASSES).succeeds().out
    kernels = {name: harness.attribute(body, kind) for name, body in harness.subgraphs(text).items()}
    return {name: {kernels[callee] for callee in re.findall(r"call @([\w.$-]+)", body) if callee in kernels}
            for name, body in harness.functions(text).items() if name not in kernels}


@pytest.mark.parametrize("name, one, other, kind", [
    ("07-unsigned-cast-matmul", "u", "s", "structure_hash"),
    ("08-i1-matmul", "named", "muladd", "family_hash"),
    ("40-db-corruption-concurrency", "f", "g", "family_hash"),
    ("40-db-corruption-concurrency", "h2", "h3", "exact_hash"),
])
def test_what_differs_hashes_differently(cases, tool, name, one, other, kind):
    found = hashes_by_function(tool, cases / f"{name}.mlir", kind)
    assert found[one] and found[other]
    assert not found[one] & found[other], found


# -- cases with an expectation of their own -----------------------------------

def test_21b_a_zero_tile_is_no_crash(cases, tool):
    path = cases / "21b-pack-dynamic-zero-tile.mlir"
    tool("diffuse-opt", path, "--canonicalize").succeeds()
    tool("diffuse-run", path, "--entry=good", "--schedules=none").does_not_crash()
    tool("diffuse-run", path, "--entry=zero_tile", "--schedules=none").does_not_crash()


def test_27_undefined_results_are_not_called_wrong(cases, tool):
    path = cases / "27-uninitialized-outs.mlir"
    tool("diffuse-run", path, "--entry=ok", "--check").succeeds()
    tool("diffuse-run", path, "--entry=bad").does_not_crash()


@pytest.mark.slow
def test_27_tuning_does_not_reject_everything(cases, tool):
    tool("diffuse-tune", cases / "27-uninitialized-outs.mlir", "--entry=bad", TUNE_BUDGET,
         "--progress=none", "-o", "tuned.mlir").does_not_crash()


def test_31_an_external_callee_stays_outside(cases, tool, tmp_path):
    path = cases / "31-private-callee-external.mlir"
    text = tool("diffuse-opt", path, *harness.PASSES).succeeds().out
    assert len(harness.subgraphs(text)) == 2
    assert not any("@ext" in body or "@sink" in body for body in harness.subgraphs(text).values())
    assert "func.func private @ext(" in text and "func.func private @sink(" in text
    tool("diffuse-compile", path, "--emit=so", "-o", "a.so").fails("ext")
    assert not (tmp_path / "a.so").exists()


@pytest.mark.parametrize("command", [
    ["diffuse-opt", *harness.PASSES, "-o", "out"],
    ["diffuse-tune", "--budget=5s", "--progress=none", "-o", "out"],
    ["diffuse-compile", "--emit=so", "-o", "out"],
    ["diffuse-run"],
])
def test_36c_an_elided_constant_is_named(cases, tool, tmp_path, command):
    name, *options = command
    path = cases / "36c-dense-resource-elided.mlir"
    tool(name, path, *options).fails("36c-dense-resource-elided.mlir:8", "elided")
    assert not (tmp_path / "out").exists()


def test_36_the_value_of_a_blob_counts(cases, tool, tmp_path):
    """Where the constant is no parameter (here rank 1 is one) and where it is
    alike: the program computes with the value it was given."""
    text = (cases / "36-dense-resource.mlir").read_text()
    (tmp_path / "other.mlir").write_text(text.replace("08040", "0A040"))  # 4.0 becomes 5.0
    result = tool("diffuse-run", "other.mlir", "--schedules=none").succeeds()
    assert harness.parse_memrefs(result.out) == [((4,), [2, 4, 6, 10])]


def test_37_a_large_matmul_fits_the_stack(cases, tool):
    path = cases / "37-big-matmul-limits.mlir"
    tool("diffuse-compile", path, "--schedules=default", "--emit=so", "-o", "a.so").succeeds()


@pytest.mark.slow
def test_37_a_large_matmul_runs(cases, tool):
    tool("diffuse-run", cases / "37-big-matmul-limits.mlir", "--schedules=default").succeeds()


@pytest.mark.slow
def test_38_slow_candidates_do_not_stop_the_tuner(cases, tool):
    tool("diffuse-tune", cases / "38-slow-candidate-timeout.mlir", "--budget=30s",
         "--progress=none", "-o", "tuned.mlir").succeeds()


def test_39_tiny_and_memory_bound_ops_are_right(cases, tool):
    for entry in ("tiny", "copy"):
        tool("diffuse-run", cases / "39-tiny-op-noise.mlir", f"--entry={entry}", "--check").succeeds()


def test_39_the_same_seed_chooses_the_same(cases, tool, tmp_path):
    written = []
    for run in ("a", "b"):
        tool("diffuse-tune", cases / "39-tiny-op-noise.mlir", "--entry=tiny", "--budget=20",
             "--measurer=fake", "--seed=3", "--progress=none", f"--records={run}.jsonl",
             "-o", f"{run}.mlir").succeeds()
        written.append((tmp_path / f"{run}.jsonl").read_bytes())
    assert written[0] == written[1]


# Case 40, step 2: a file of records that is damaged, and what of it survives.
DAMAGE = {
    "empty": lambda data: b"",
    "cut in a record": lambda data: data[:len(data) - 40],
    "garbage line": lambda data: data.split(b"\n", 1)[0] + b"\n@@ no json @@\n" + data.split(b"\n", 1)[1],
    "invalid utf-8": lambda data: data + b'{"kind": "\xff\xfe"}\n',
    "unknown kind": lambda data: data + b'{"kind": "from the future", "format": 99}\n',
}


def tune_case_40(tool, cases, records):
    return tool("diffuse-tune", cases / "40-db-corruption-concurrency.mlir", "--entry=f",
                "--budget=12", "--measurer=fake", "--progress=none",
                f"--records={records}", "-o", "tuned.mlir")


@pytest.mark.parametrize("damage", sorted(DAMAGE))
def test_40_damaged_records_are_passed_over(cases, tool, tmp_path, damage):
    tune_case_40(tool, cases, "r.jsonl").succeeds()
    data = (tmp_path / "r.jsonl").read_bytes()
    damaged = DAMAGE[damage](data)
    (tmp_path / "r.jsonl").write_bytes(damaged)
    result = tune_case_40(tool, cases, "r.jsonl").succeeds()
    assert (tmp_path / "r.jsonl").read_bytes().startswith(damaged), "records are never rewritten"
    if damage != "empty":
        assert "r.jsonl" in result.err, result


def test_40_records_that_cannot_be_used_do_not_stop_tuning(cases, tool, tmp_path):
    (tmp_path / "folder.jsonl").mkdir()
    result = tune_case_40(tool, cases, "folder.jsonl").succeeds()
    assert "folder.jsonl" in result.err, result
