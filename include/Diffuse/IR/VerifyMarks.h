// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops marked in a subgraph must be to each other.

#ifndef DIFFUSE_IR_VERIFYMARKS_H
#define DIFFUSE_IR_VERIFYMARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Fails, with a located error, unless each stage of `function` has an anchor
/// and a root, both have results, and a root other than the anchor walks the
/// dimensions of the anchor's result. Looks at the first op with each mark
/// only.
llvm::LogicalResult verifyAnchorAndRoot(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_IR_VERIFYMARKS_H
