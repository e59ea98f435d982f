# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that other people's front ends wrote, through every step.

All are outlined, hashed, clustered and verified. Compiling with default
schedules, and checking against the plain lowering, is done for the small ones
always and for the rest with --slow: plain loops take minutes on the large ones.
"""
import json
import re

import pytest

import harness

# Checked against plain loops in every run: seconds of work each.
QUICK = """
argmax batch-matmul-quantized conv-grouped-dilated-generic conv-quantized-grouped
conv1d-fc-i8-requant gqa-attention lenet matmul-chain7 mlp-bf16
""".split()

# Their plain lowering runs for minutes, or their weights are random i4.
NO_PLAIN_RUN = """
deepseek-r1-1.5b-decode llama2-7b-i4-dynamic paper/vgg16 paper/vgg19 paper/bert_base
""".split()

# What stays in the entry for a reason: a gather whose body asserts its index has
# an effect of its own.
LEFT_OUTSIDE = {"llama2-7b-i4-dynamic": {"linalg.generic", "linalg.index", "linalg.yield"}}

# Concatenations of channels of one image, whose parts lie one after the other.
WRITTEN_IN_PLACE = r"tensor\.concat dim\(1\) .* -> tensor<1x"

# Files whose entry must be chosen.
ENTRIES = {
    "linalg-ops-dynamic": ["--entry=batch_matmul_B1_M1_N32_K64_followed_by_erf"],
    "llama2-7b-i4-dynamic": ["--entry=first_vicuna_forward"],
}

# What a library cannot be made of, and the word that the message must hold.
REFUSED = {"triton-softmax-bf16": "unranked", "flash-attention-f16": "unranked"}

# Networks in NCHW, of which one is small enough to be run each time, in both
# layouts.
LAYOUT_NETWORKS = ["lenet", "paper/squeezenet", "paper/mobilenet_v2"]

# Print functions that the library leaves to MLIR's runner, said in a note.
PRINTS = {"argmax": "printMemrefI32", "conv-grouped-dilated-generic": "printMemrefF32",
          "gqa-attention": "rtclock", "resnet50-nhwc": "printMemrefF32",
          "mobilenet-v3-nhwc": "printMemrefF32"}


# Layer normalization of channels that are all equal (its weights are splats):
# exact arithmetic gives 0, and the order of the sums gives 1e-33 or 0.
ILL_CONDITIONED = {"convnext-tiny"}
# Extents of arguments that a file leaves open.
EXTENTS = {"dynamic-matmuls-one-accumulator": ["--extents=7,5,5,9,7,9"]}


def name_of(path):
    return str(path.with_suffix("")).split("models/")[-1]


def entry_of(path):
    return ENTRIES.get(name_of(path), [])


def quick_or_slow(request, path):
    if name_of(path) not in QUICK and not request.config.getoption("--slow"):
        pytest.skip("slow: runs with --slow")


def test_passes_take_every_model(tool, model_file):
    result = tool("diffuse-opt", model_file, *harness.PASSES, timeout=900).succeeds()
    kernels = harness.subgraphs(result.out)
    assert kernels
    for name, body in harness.functions(result.out).items():
        if name not in kernels:
            body = re.sub(WRITTEN_IN_PLACE, "", body)
            left = set(re.findall(r"\blinalg\.\w+|\btensor\.(?:pad|concat)\b", body))
            left -= LEFT_OUTSIDE.get(name_of(model_file), set())
            assert not left, f"{name} keeps {sorted(left)}"


# Share of the arithmetic that sketches must take, and the files where they take
# less, with the share that they are held to until a sketch is added.
COVERED = 0.98
LESS_COVERED = {
    # dynamic extents: no sketch takes them
    "dynamic-matmuls-one-accumulator": 0, "linalg-ops-dynamic": 0, "llama2-7b-i4-dynamic": 0,
    # bf16 and f16 contractions
    "matmul-skinny-bf16-ta": 0, "mlp-bf16": 0, "flash-attention-f16": 0.01,
    # mixed and quantized integers
    "batch-matmul-quantized": 0, "conv-quantized-grouped": 0, "conv1d-fc-i8-requant": 0.69,
    # results that depend on order or position, and convolutions as generics
    "argmax": 0, "cholesky": 0, "conv-grouped-dilated-generic": 0,
}


def test_sketches_cover_the_arithmetic(tool, tmp_path, model_file):
    tool("diffuse-tune", model_file, *entry_of(model_file), "--budget=0", "--records=none", "--progress=none",
         "--summary=s.json", "-o", "tuned.mlir", timeout=900).succeeds()
    summary = json.loads((tmp_path / "s.json").read_text())
    share = summary["covered_flops"] / summary["flops"] if summary["flops"] else 1
    assert share >= LESS_COVERED.get(name_of(model_file), COVERED), (share, summary["uncovered"])


def test_default_schedules_compile(request, tool, tmp_path, model_file):
    quick_or_slow(request, model_file)
    result = tool("diffuse-compile", model_file, *entry_of(model_file), "--schedules=default", "--emit=so", "-o", "m.so",
                  timeout=1800)
    if name_of(model_file) in REFUSED:
        result.fails(REFUSED[name_of(model_file)])
        assert not (tmp_path / "m.so").exists()
        return
    result.succeeds()
    assert (tmp_path / "m.so").exists()
    assert PRINTS.get(name_of(model_file), "") in result.err


def test_default_schedules_agree_with_plain_loops(request, tool, model_file):
    quick_or_slow(request, model_file)
    if name_of(model_file) in {*NO_PLAIN_RUN, *REFUSED}:
        pytest.skip("plain loops take too long here")
    if name_of(model_file) in ILL_CONDITIONED:
        pytest.skip("its answer is rounding noise")
    tool("diffuse-run", model_file, *entry_of(model_file), *EXTENTS.get(name_of(model_file), []),
         "--schedules=default", "--check", timeout=1800).succeeds()


# The reference of a run is always the plain form: --check holds what is packed
# against it. Here both forms are named, so neither is lost by a new default.
@pytest.mark.parametrize("layouts", ["blocked", "plain"])
def test_layouts_agree_with_plain_loops(request, tool, model_file, layouts):
    if name_of(model_file) not in LAYOUT_NETWORKS:
        pytest.skip("one form only")
    quick_or_slow(request, model_file)
    tool("diffuse-run", model_file, f"--layouts={layouts}", "--schedules=default", f"--reference={model_file}",
         timeout=1800).succeeds()


def test_layouts_of_networks(tool, model_file):
    """Channels of every network of the paper come in blocks: what is packed is
    filters, and the network itself has no more conversions than results and
    readers of other forms."""
    if not name_of(model_file).startswith("paper/") or name_of(model_file) == "paper/bert_base":
        pytest.skip("no network of convolutions in NCHW")
    packed = tool("diffuse-opt", model_file, "--diffuse-pack-layouts=target=cpu:x86-64-v3", timeout=900).succeeds().out
    assert "linalg.conv_2d_nchw_fchw" not in packed
    assert packed.count("= linalg.pack ") > 0
    assert packed.count("= linalg.unpack ") <= 1, packed.count("= linalg.unpack ")
