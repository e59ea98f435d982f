// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a function on buffers and scalars to a symbol that any caller can reach
// through one C type (CompiledObject says which).

#ifndef DIFFUSE_LIB_CODEGEN_UNIFORMINTERFACE_H
#define DIFFUSE_LIB_CODEGEN_UNIFORMINTERFACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Replaces `function`, whose last argument is the workspace, by a private
/// body that takes bare pointers, none of which aliases another, and the public
/// function `symbol` that unpacks the three arguments of the interface and
/// calls it. Fails, with an error at the function, on types that fit no slot.
mlir::LogicalResult wrapInUniformInterface(mlir::func::FuncOp function,
                                           llvm::StringRef symbol);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_UNIFORMINTERFACE_H
