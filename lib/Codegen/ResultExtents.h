// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_RESULTEXTENTS_H
#define DIFFUSE_LIB_CODEGEN_RESULTEXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Adds a function `name` beside `entry` that takes the same arguments and
/// returns the dynamic extents of its results as indices, in order of results
/// and dimensions. It computes only what they depend on, and has no effects:
/// where they depend on an op that has, this fails with an error at the op.
/// Returns null where every extent is static.
mlir::FailureOr<mlir::func::FuncOp>
createExtentsFunction(mlir::func::FuncOp entry, llvm::StringRef name);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_RESULTEXTENTS_H
