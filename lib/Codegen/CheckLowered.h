// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What no conversion took: translating it to LLVM IR would fail by a message
// about the translation.

#ifndef DIFFUSE_LIB_CODEGEN_CHECKLOWERED_H
#define DIFFUSE_LIB_CODEGEN_CHECKLOWERED_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Reports the first op of `module` that cannot be translated to LLVM IR, as an
/// error at the op that names it, its types and its function. Fails when there
/// is one.
llvm::LogicalResult checkLowered(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_CHECKLOWERED_H
