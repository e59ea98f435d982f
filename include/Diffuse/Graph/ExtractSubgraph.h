// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One subgraph alone, as a reproducer.

#ifndef DIFFUSE_GRAPH_EXTRACTSUBGRAPH_H
#define DIFFUSE_GRAPH_EXTRACTSUBGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace diffuse {

/// Removes everything from `module` but the subgraph `name` and its schedule,
/// and adds a caller `@main` that passes its arguments through, destinations
/// included.
/// Fails, with an error at the module that lists what is there, when it has no
/// such subgraph.
llvm::LogicalResult extractSubgraph(mlir::ModuleOp module,
                                    llvm::StringRef name);

} // namespace diffuse

#endif // DIFFUSE_GRAPH_EXTRACTSUBGRAPH_H
