// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that have no loops of their own become ops that have: TOSA and
// elementwise ops on tensors to linalg, softmax and Winograd transforms to
// their parts, pack and unpack to pad, transpose and reshape, concatenation to
// insertions.

#ifndef DIFFUSE_CODEGEN_DECOMPOSEOPS_H
#define DIFFUSE_CODEGEN_DECOMPOSEOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Decomposes every such op of `module`. Fails with an error at an op that
/// cannot be decomposed.
mlir::LogicalResult decomposeOps(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_DECOMPOSEOPS_H
