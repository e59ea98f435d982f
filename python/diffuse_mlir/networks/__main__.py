# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command line of the example networks."""
import argparse
import pathlib

from .. import files, safetensors
from . import NETWORKS, LinalgBuilder


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python3 -m diffuse_mlir.networks",
        description="Writes an example network with random weights.")
    parser.add_argument("network", choices=sorted(NETWORKS))
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True,
                        help="the MLIR text; the weights go beside it as .safetensors")
    parser.add_argument("--onnx", type=pathlib.Path,
                        help="also the same network and weights as ONNX (needs the onnx package)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    describe = NETWORKS[options.network]
    builder = LinalgBuilder(options.seed)
    describe(builder)
    files.write_whole(options.output, builder.text())
    safetensors.save(options.output.with_suffix(".safetensors"), builder.parameters)
    if options.onnx:
        import onnx
        from .onnx_builder import OnnxBuilder
        builder = OnnxBuilder(options.seed)
        describe(builder)
        onnx.save(builder.model(), options.onnx)


if __name__ == "__main__":
    main()
