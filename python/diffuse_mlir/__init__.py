# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python over the Diffuse tools: tune a model, call it on numpy arrays.

    import diffuse_mlir
    model = diffuse_mlir.compile("model.onnx", budget="60s")
    result = model(array)
"""
from .compiling import compile
from .library import Model, ModelFailure
from .tools import ToolFailure

__version__ = "0.1.0"
__all__ = ["Model", "ModelFailure", "ToolFailure", "compile"]
