# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example networks: their text, parameters, and agreement of the writers."""
import shutil
import subprocess

import numpy as np
import pytest

from diffuse_mlir import safetensors
from diffuse_mlir.networks import NETWORKS, LinalgBuilder
from diffuse_mlir.networks.__main__ import main

MLIR_OPT = shutil.which("mlir-opt-22")


def build(network, builder):
    NETWORKS[network](builder)
    return builder


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt-22 is not installed")
@pytest.mark.parametrize("network", sorted(NETWORKS))
def test_the_text_parses(network):
    text = build(network, LinalgBuilder()).text()
    done = subprocess.run([MLIR_OPT, "-o", "/dev/null"], input=text, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[:1000]


def test_resnet18_is_the_known_architecture():
    builder = build("resnet18", LinalgBuilder())
    # The published count, of which 9,600 belong to batch normalisation: folding
    # leaves one bias where there were scale and shift.
    assert sum(a.size for a in builder.parameters.values()) == 11_689_512 - 4_800
    text = builder.text()
    assert text.count("linalg.conv_2d_nchw_fchw") == 20
    assert text.count("linalg.matmul") == 1
    assert text.count("diffuse.parameter") == len(builder.parameters) == 42


def test_seeds_decide_the_weights_and_nothing_else():
    one, same, other = (build("resnet18", LinalgBuilder(seed)) for seed in (0, 0, 1))
    assert one.text() == same.text() == other.text()
    for name, array in one.parameters.items():
        np.testing.assert_array_equal(array, same.parameters[name])
        assert np.any(array != other.parameters[name])


def test_a_weight_does_not_depend_on_the_layers_before():
    first, second = LinalgBuilder(), LinalgBuilder()
    x = first.input("x", (1, 4, 8, 8))
    first.conv(first.conv(x, "a", 4, 3), "b", 4, 3)
    second.conv(second.input("x", (1, 4, 8, 8)), "b", 4, 3)
    np.testing.assert_array_equal(first.parameters["b.weight"], second.parameters["b.weight"])


def test_mistakes_are_named():
    builder = LinalgBuilder()
    x = builder.input("x", (1, 4, 8, 8))
    builder.conv(x, "a", 4, 3)
    with pytest.raises(ValueError, match="'a.weight' is used twice"):
        builder.conv(x, "a", 4, 3)
    with pytest.raises(ValueError, match="3 groups"):
        builder.conv(x, "c", 6, 3, groups=3)
    with pytest.raises(NotImplementedError, match="2 groups"):
        builder.conv(x, "d", 6, 3, groups=2)


def test_the_command_line_writes_both_files(tmp_path):
    main(["resnet18", "-o", str(tmp_path / "r.mlir")])
    arrays = safetensors.load(tmp_path / "r.safetensors")
    assert f'{{diffuse.parameter = "{next(iter(arrays))}"}}' in (tmp_path / "r.mlir").read_text()


def test_onnx_holds_the_same_weights():
    pytest.importorskip("onnx")
    from diffuse_mlir.networks.onnx_builder import OnnxBuilder
    from onnx import numpy_helper
    model = build("resnet18", OnnxBuilder()).model()
    weights = build("resnet18", LinalgBuilder()).parameters
    held = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    assert list(held) == list(weights)
    for name, array in weights.items():
        np.testing.assert_array_equal(held[name], array)
