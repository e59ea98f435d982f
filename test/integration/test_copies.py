# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run of a network moves without computing: packs, unpacks, pads that are
written out and copies, counted in the outlined module and in the entry."""
import re

import pytest

from conftest import data_folder

# Networks with what is left in a run. The input of a network is not ours to
# write, so its pad is a copy.
LEFT = {"resnet18": {"pad": 1}, "mobilenet_v2": {"pad": 1}, "bert_base": {}}


def subgraphs(text):
    """(calls, body) of every subgraph."""
    for function in re.split(r"\n(?=  func\.func )", text):
        calls = re.search(r"diffuse\.calls = (\d+)", function)
        if calls and "diffuse.subgraph" in function:
            yield int(calls[1]), function


def read_pads(body):
    """Pads of what is read; those behind the root write their border alone."""
    slices = set(re.findall(r"(%\w+) = tensor\.extract_slice %arg", body))
    return sum(source.startswith("%arg") or source in slices for source in re.findall(r"tensor\.pad (%\w+)", body))


def movements(text):
    """{kind: number in one run}; what is prepared runs in none."""
    found = {}
    for calls, body in subgraphs(text):
        for kind, pattern in (("pack", r"linalg\.pack "), ("unpack", r"linalg\.unpack "),
                              ("concatenation", r"tensor\.concat "),
                              ("transpose or copy", r"@subgraph_\d+_(?:movement|transpose|copy)\(")):
            found[kind] = found.get(kind, 0) + calls * len(re.findall(pattern, body))
        found["pad"] = found.get("pad", 0) + calls * read_pads(body)
    return {kind: count for kind, count in found.items() if count}


@pytest.mark.parametrize("network", LEFT)
def test_a_run_moves_nothing(tool, tmp_path, network):
    folder = data_folder("MODELS")
    if folder is None or not (folder / "paper" / f"{network}.mlir").exists():
        pytest.skip("DIFFUSE_MODELS_DIR is not set")
    tool("diffuse-opt", folder / "paper" / f"{network}.mlir", "--diffuse-pack-layouts", "--diffuse-outline-subgraphs",
         "-o", "outlined.mlir").succeeds()
    text = (tmp_path / "outlined.mlir").read_text()
    assert len(list(subgraphs(text))) > 5
    assert movements(text) == LEFT[network]
    # The entry passes buffers on; it copies none.
    tool("diffuse-opt", "outlined.mlir", "--diffuse-lower-to-llvm", "-o", "lowered.mlir").succeeds()
    lowered = (tmp_path / "lowered.mlir").read_text()
    entry = re.search(r"llvm\.func [a-z_ ]*@diffuse_entry_body\(.*?\n  }", lowered, re.S)[0]
    assert "memcpy" not in entry and "f32" not in entry


def test_what_is_moved_is_seen(tool, inputs, tmp_path):
    """The small network has some of each but concatenations, which are written
    in place: what counts them is not blind."""
    tool("diffuse-opt", inputs / "small-network.mlir", "--diffuse-pack-layouts=target=cpu:x86-64-v3 always",
         "--diffuse-outline-subgraphs", "-o", "outlined.mlir").succeeds()
    assert movements((tmp_path / "outlined.mlir").read_text()) == {"pad": 1, "transpose or copy": 2}
