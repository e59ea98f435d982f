# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Example networks that the project writes itself, with random weights.

    python3 -m diffuse_mlir.networks resnet18 -o resnet18.mlir

A network is a function of a `Builder` (see builder.py); NETWORKS lists them by
name.
"""
from .builder import Builder, Value
from .linalg_builder import LinalgBuilder
from .resnet18 import resnet18

NETWORKS = {"resnet18": resnet18}

__all__ = ["Builder", "LinalgBuilder", "NETWORKS", "Value", "resnet18"]
