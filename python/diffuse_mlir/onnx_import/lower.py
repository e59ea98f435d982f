# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX to the torch dialect, and that to linalg on tensors, by torch-mlir."""
import pathlib
import re
import subprocess

import torch_mlir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras import onnx_importer
from torch_mlir.ir import Context

from .text import ImportFailure

_PIPELINES = ["--torch-onnx-to-torch-backend-pipeline",
              "--torch-backend-to-linalg-on-tensors-backend-pipeline"]


def to_torch(model):
    """The model as text of the torch dialect (`torch.operator "onnx.X"`)."""
    context = Context()
    torch_dialect.register_dialect(context)
    try:
        info = onnx_importer.ModelInfo(model, config=onnx_importer.Config())
        module = info.create_module(context=context).operation
        onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    except onnx_importer.OnnxImportError as error:
        raise ImportFailure(f"torch-mlir cannot import the model: {error}") from error
    module.verify()
    return module.get_asm(assume_verified=True)


def to_linalg(torch_text):
    """Lowers text of the torch dialect to text of linalg on tensors."""
    tool = pathlib.Path(list(torch_mlir.__path__)[0]) / "_mlir_libs" / "torch-mlir-opt"
    done = subprocess.run([str(tool), *_PIPELINES], input=torch_text, capture_output=True, text=True)
    if done.returncode:
        raise ImportFailure(_explain(done.stderr))
    return done.stdout


def _explain(messages):
    """The operators that torch-mlir refused, else its first lines."""
    refused = sorted(set(re.findall(r'"onnx\.(\w+)"', messages)))
    if refused:
        return (f"torch-mlir does not lower the ONNX operator{'s'[:len(refused) > 1]} "
                f"{', '.join(refused)}; rewrite that part of the model")
    return "torch-mlir could not lower the model:\n" + "\n".join(messages.splitlines()[:6])
