// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subgraphs that do the same kind of work, and the one of them to search first.

#ifndef DIFFUSE_GRAPH_CLUSTERSUBGRAPHS_H
#define DIFFUSE_GRAPH_CLUSTERSUBGRAPHS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Sets `diffuse.exact_hash`, `diffuse.structure_hash` and
/// `diffuse.family_hash` on every subgraph of `module`. Fails where a constant
/// has no data or a subgraph has no anchor.
llvm::LogicalResult hashSubgraphs(mlir::ModuleOp module);

/// Numbers the families of the subgraphs of `module` in order of first
/// appearance (`diffuse.cluster`) and marks one representative in each.
/// Computes the hashes that are absent.
llvm::LogicalResult clusterSubgraphs(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_GRAPH_CLUSTERSUBGRAPHS_H
