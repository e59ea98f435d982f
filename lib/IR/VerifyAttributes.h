// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where each diffuse.* attribute may stand and what type it has.

#ifndef DIFFUSE_LIB_IR_VERIFYATTRIBUTES_H
#define DIFFUSE_LIB_IR_VERIFYATTRIBUTES_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Checks place and type of every diffuse.* attribute below `module`.
llvm::LogicalResult verifyAttributes(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_IR_VERIFYATTRIBUTES_H
