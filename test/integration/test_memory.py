# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How near the memory of a run comes to what is in use at one time."""
import pytest

import harness
from conftest import data_folder

NETWORKS = ["bert_base", "efficientnet_b0", "inception_v3", "mobilenet", "mobilenet_v2", "resnet18", "resnet50",
            "squeezenet", "vgg16"]
# Compiled each time; the rest with --slow.
QUICK = ["mobilenet_v2", "squeezenet"]


@pytest.mark.parametrize("network", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in NETWORKS])
def test_buffers_share_memory(tool, tmp_path, network):
    folder = data_folder("MODELS")
    if folder is None or not (folder / "paper" / f"{network}.mlir").exists():
        pytest.skip("DIFFUSE_MODELS_DIR is not set")
    library = tmp_path / "model.so"
    tool("diffuse-compile", folder / "paper" / f"{network}.mlir", "--model=net", "-o", library).succeeds()
    description = harness.description(library, "net")
    assert description["ordinary_buffers"] == ""
    assert 0 < description["live_bytes"] <= description["workspace_bytes"] <= 1.2 * description["live_bytes"]
