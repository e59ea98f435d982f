// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of any rank and their transfers to vectors of rank 1, the ones that
// registers hold.

#ifndef DIFFUSE_LIB_CODEGEN_LOWERVECTORS_H
#define DIFFUSE_LIB_CODEGEN_LOWERVECTORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// What happens to a function whose schedule has no vector sequence, and to
/// what a vector sequence leaves: contractions to outer products and fused
/// multiply-adds, transfers to loads and stores of rows. A transfer that
/// repeats one element loads it once and broadcasts it.
mlir::LogicalResult lowerVectors(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_LOWERVECTORS_H
