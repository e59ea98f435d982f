# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command line of the ONNX importer; re-starts itself in its environment."""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys

from .. import environment, files, safetensors
from . import ImportFailure, import_onnx


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python3 -m diffuse_mlir.onnx_import",
        description="Imports an ONNX model as linalg on tensors.")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True,
                        help="the MLIR text; weights go beside it as .safetensors")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N",
                        help="extent of a symbolic dimension (others become 1; repeatable)")
    options = parser.parse_args(arguments)
    try:
        options.dimensions = {name: int(n) for name, n in (d.split("=", 1) for d in options.dim)}
    except ValueError:
        parser.error("--dim takes NAME=N with a whole number N")
    return options


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parse(arguments)
    if os.path.isdir(options.model):
        sys.exit(f"error: {options.model} is a folder; name the model's file in it")
    if not os.path.isfile(options.model):
        sys.exit(f"error: {options.model}: no such file")
    outputs = [options.output, options.output.parent / f"{options.output.stem}.safetensors"]
    try:
        files.check_outputs(outputs, [options.model])
        if any(importlib.util.find_spec(name) is None for name in ("torch_mlir", "onnx")):
            return run_in_environment(arguments)
        text, weights = import_onnx(options.model, options.dimensions, outputs=outputs,
                                    report=lambda line: print(f"note: {line}", file=sys.stderr))
    except (ImportFailure, files.FileFailure) as failure:
        sys.exit(f"error: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as failure:  # what onnx, numpy and torch-mlir raise for a broken model
        sys.exit(f"error: {options.model} cannot be imported: {type(failure).__name__}: {failure}")
    try:
        write(*outputs, text, weights)
    except OSError as failure:
        sys.exit(f"error: cannot write {options.output} and its weights: {failure.strerror}")
    return 0


def write(text_file, weights_file, text, weights):
    """A model without weights has no file of them, not even an earlier import's."""
    if weights:
        safetensors.save(weights_file, weights)
    else:
        weights_file.unlink(missing_ok=True)
    files.write_whole(text_file, text)


def run_in_environment(arguments):
    """The same command under the importer's own Python; its exit status."""
    try:
        python = environment.import_python()
    except environment.EnvironmentFailure as failure:
        sys.exit(f"error: {failure}")
    if python.parent.parent == pathlib.Path(sys.prefix):
        sys.exit(f"error: the environment {sys.prefix} lacks torch-mlir or onnx; remove it, and it is made anew")
    source = pathlib.Path(__file__).resolve().parents[2]
    return subprocess.run([str(python), "-m", "diffuse_mlir.onnx_import", *arguments],
                          env={**os.environ, "PYTHONPATH": str(source)}).returncode


if __name__ == "__main__":
    sys.exit(main())
