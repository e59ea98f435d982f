// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts for people: Debian's MLIR prints no pass statistics.

#ifndef DIFFUSE_GRAPH_REPORTSUBGRAPHS_H
#define DIFFUSE_GRAPH_REPORTSUBGRAPHS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Emits a remark on `module`: subgraphs, calls, clusters, work of one run and
/// its share by kind of anchor.
void reportSubgraphs(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_GRAPH_REPORTSUBGRAPHS_H
