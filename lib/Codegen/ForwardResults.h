// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_FORWARDRESULTS_H
#define DIFFUSE_LIB_CODEGEN_FORWARDRESULTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Lets whoever computes a result write into the caller's buffer: an allocation
/// that is copied to a destination, which nothing else touches, becomes that
/// destination.
///
///   %a = memref.alloc()
///   call @f(%x, %a)
///   memref.copy %a, %out
///
/// becomes `call @f(%x, %out)`.
void forwardResults(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_FORWARDRESULTS_H
