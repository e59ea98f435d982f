// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of diffuse.* attributes: they are discardable, so no dialect
// verifies them.

#ifndef DIFFUSE_IR_VERIFYMODULE_H
#define DIFFUSE_IR_VERIFYMODULE_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Reports every place where a diffuse.* attribute contradicts the IR, as an
/// error with a note at the other place. Fails when there is one. Attributes
/// that start with `diffuse.` and are not known are errors too.
llvm::LogicalResult verifyModule(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_IR_VERIFYMODULE_H
