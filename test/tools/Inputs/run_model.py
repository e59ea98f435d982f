# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a library on zeros of the shapes that the command line gives."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "python"))
from diffuse_mlir import Model, ModelFailure  # noqa: E402

shapes = [[int(n) for n in text.split("x")] for text in sys.argv[2:]]
try:
    print(Model(sys.argv[1])(*[np.zeros(shape, np.float32) for shape in shapes]).shape)
except ModelFailure as failure:
    sys.exit(str(failure))
