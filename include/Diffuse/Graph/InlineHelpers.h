// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Front ends put layers, activations and other things that recur into functions
// of their own. Layouts and fusion end at their borders.

#ifndef DIFFUSE_GRAPH_INLINEHELPERS_H
#define DIFFUSE_GRAPH_INLINEHELPERS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Ops that inlining may make of one function.
inline constexpr uint64_t kMostInlinedOps = 1 << 18;

/// Dissolves functions into those that call them, and drops private ones that
/// nobody calls any more. Leaves recursive functions, those that are marked
/// `no_inline`, and all of `module` where it is outlined already or some
/// function would have more than kMostInlinedOps ops.
llvm::LogicalResult inlineHelpers(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_GRAPH_INLINEHELPERS_H
