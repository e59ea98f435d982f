// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a group of ops to a subgraph function.

#ifndef DIFFUSE_LIB_GRAPH_BUILDSUBGRAPH_H
#define DIFFUSE_LIB_GRAPH_BUILDSUBGRAPH_H

#include "GroupOps.h"
#include "ParameterValues.h"
#include "WriteIntoPads.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// A subgraph function that is in no module yet, and what to pass to it.
struct BuiltSubgraph {
  mlir::OwningOpRef<mlir::func::FuncOp> function;
  /// Values of the block for the arguments before the destinations.
  llvm::SmallVector<mlir::Value> inputs;
};

/// Copies the ops of `group` into a new function named `name`, in the order of
/// their data flow, stage by stage, with its constants and the inits it
/// repeats. The group's
/// block is left as it is. `written` and `parameters` are those of the
/// function that it is in.
BuiltSubgraph buildSubgraph(const OpGroup &group, llvm::StringRef name,
                            const WrittenPads &written,
                            ParameterValues &parameters);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_BUILDSUBGRAPH_H
