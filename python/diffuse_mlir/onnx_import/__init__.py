# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an ONNX file to linalg on tensors that LLVM 22 parses, and its weights.

    python3 -m diffuse_mlir.onnx_import model.onnx -o model.mlir

Runs in the importer's own environment (`diffuse_mlir.environment`); torch-mlir
lowers, without torch. The steps, a module each:

  checks     refuses what is not whole, by name
  prepare    pins symbolic dimensions, raises the operator set, infers shapes
  weights    turns weights into arguments before anything is converted, so that
             no step carries hundreds of megabytes as text
  constants  folds shape arithmetic until every shape is static
  decompose  writes what torch-mlir lowers wrongly as other operators
  lower      ONNX to the torch dialect to linalg on tensors
  text       marks the parameters, refuses what MLIR 22 does not have
"""
from .text import ImportFailure

__all__ = ["ImportFailure", "import_onnx"]


def import_onnx(path, dimensions=None, report=lambda line: None, outputs=()):
    """Imports an ONNX file.

    `dimensions` gives extents for symbolic dimensions by name; the others
    become 1. Returns the MLIR text and the weights by name, in the order of the
    arguments that carry `diffuse.parameter`. Raises ImportFailure, and FileFailure
    where one of `outputs`, which the caller is going to write, holds weights of
    the model.
    """
    # These import onnx and torch-mlir, which the caller's Python may lack.
    from . import lower, prepare, text
    model, weights = prepare.prepare(path, dimensions or {}, report, outputs)
    names = [i.name for i in model.graph.input]
    linalg = lower.to_linalg(lower.to_torch(model))
    linalg = text.mark_parameters(linalg, [n if n in weights else None for n in names])
    text.refuse_foreign_dialects(linalg)
    return linalg, {name: weights[name] for name in names if name in weights}
