// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of a module that outlives a run. Handles of the C interface are
// independent of one another, so there may be none that changes.

#ifndef DIFFUSE_LIB_CODEGEN_CHECKGLOBALS_H
#define DIFFUSE_LIB_CODEGEN_CHECKGLOBALS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Reports every global of `module` that can change, or whose value is defined
/// elsewhere, as an error at the global. Fails when there is one.
llvm::LogicalResult checkGlobals(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_CHECKGLOBALS_H
