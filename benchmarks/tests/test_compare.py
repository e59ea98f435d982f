# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare.py's arithmetic and bookkeeping, with rigged sides."""
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import compare  # noqa: E402


class Rigged:
    def __init__(self, name, log, blocks):
        self.name, self.log, self.blocks = name, log, iter(blocks)

    def block(self, seconds):
        self.log.append(self.name)
        return next(self.blocks)


def test_blocks_alternate_and_ratios_are_within_rounds():
    log = []
    sides = {"diffuse": Rigged("d", log, [{"min": 8, "median": 10}, {"min": 9, "median": 30}, {"min": 8.5, "median": 12}]),
             "onnxruntime": Rigged("o", log, [{"min": 10, "median": 20}, {"min": 11, "median": 40}, {"min": 12, "median": 24}])}
    result = compare.summarize(compare.interleave(sides, 3, 1))
    assert log == ["d", "o", "o", "d", "d", "o"]
    assert result["min_ratio"] == pytest.approx(0.8)
    assert result["median_ratio"] == pytest.approx(0.5)
    assert result["diffuse_median_ms"] == 12


def test_weights_take_the_keys_of_the_text():
    weights = {"a": np.zeros((2, 3)), "b": np.zeros(4)}
    assert list(compare.rename(weights, [("arg1", (2, 3)), ("w", (4,))])) == ["arg1", "w"]
    with pytest.raises(ValueError, match=r"parameter arg1 of the text is \(3, 2\)"):
        compare.rename(weights, [("arg1", (3, 2)), ("w", (4,))])
    with pytest.raises(ValueError, match="has 1 parameters, the network 2"):
        compare.rename(weights, [("arg1", (2, 3))])


def test_a_wrong_answer_shows_in_the_table():
    row = {"network": "n", "diffuse_min_ms": 1, "diffuse_median_ms": 1, "onnxruntime_min_ms": 2,
           "onnxruntime_median_ms": 2, "min_ratio": 0.5, "median_ratio": 0.5,
           "diffuse_peak_mb": 5, "onnxruntime_peak_mb": 6, "ok": False, "max_rel_error": 0.3}
    assert "WRONG ANSWER" in compare.table([row])


def test_peak_memory_sees_what_is_taken():
    import peak_memory
    peak_memory.forget_peak()
    taken = np.ones(50_000_000, np.uint8)
    # The system may take pages of an idle process away at any time, and counts
    # those of a busy one loosely.
    with_it = peak_memory.resident("VmRSS")
    del taken
    assert peak_memory.resident("VmHWM") > 0.9 * with_it
    assert peak_memory.resident("VmRSS") < with_it - 40e6


def test_every_network_builds():
    pytest.importorskip("onnx")
    import networks
    from diffuse_mlir.networks.onnx_builder import OnnxBuilder
    builder = OnnxBuilder()
    networks.NETWORKS["mobilenet_v2"](builder)
    assert builder.model().graph.output[0].name
    assert len(builder.parameters) == 106


def test_one_text_is_one_network(capsys):
    with pytest.raises(SystemExit):
        compare.parse(["vgg16", "vgg19", "--linalg", "x.mlir"])
    assert "name one" in capsys.readouterr().err


def test_an_unknown_network_is_named(capsys):
    with pytest.raises(SystemExit):
        compare.parse(["vgg16", "alexnet"])
    assert "unknown network alexnet; known are bert_base," in capsys.readouterr().err


def test_a_peer_that_dies_is_told_of(tmp_path):
    peer = compare.OnnxRuntime("false", tmp_path, 0)
    with pytest.raises(compare.ToolFailure, match="ended with status 1"):
        peer.block(1)
    peer.close()


def test_a_run_that_tunes_nothing_has_no_default_time(tmp_path, monkeypatch):
    side = Rigged("s", [], [{"min": 1, "median": 2}] * 2)
    side.check, side.close = lambda: {"ok": True, "max_rel_error": 0}, lambda: side.log.append("closed")
    monkeypatch.setattr(compare, "prepare", lambda *arguments: None)
    monkeypatch.setattr(compare, "tune", lambda *arguments: {"seconds": 0, "measurements": 0, "default_us": None})
    monkeypatch.setattr(compare, "Diffuse", lambda *arguments: side)
    monkeypatch.setattr(compare, "OnnxRuntime", lambda *arguments: side)
    monkeypatch.setattr(compare, "peak_memory", lambda *arguments: {})
    options = compare.parse(["vgg16", "--rounds=1", f"--work={tmp_path}", "--budget=0"])
    assert compare.compare("vgg16", options, "python")["default_ms"] is None
    assert side.log.count("closed") == 2
