// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a function as plain data, for those who run its code
// without MLIR.

#ifndef DIFFUSE_CODEGEN_DESCRIBEBOUNDARY_H
#define DIFFUSE_CODEGEN_DESCRIBEBOUNDARY_H

#include "Diffuse/Support/Boundary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// One description for each argument of `function`, in argument order, then
/// one destination for each result that has no destination argument. Fails
/// with an error on the function where a type cannot cross the boundary
/// (unranked tensors and memrefs, vectors, tuples).
mlir::FailureOr<llvm::SmallVector<BoundaryArgument>>
describeBoundary(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_DESCRIBEBOUNDARY_H
