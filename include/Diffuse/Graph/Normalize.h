// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The normal form that grouping and hashing stand on.

#ifndef DIFFUSE_GRAPH_NORMALIZE_H
#define DIFFUSE_GRAPH_NORMALIZE_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Brings every function of `module` that is no subgraph into normal form:
/// linalg on tensors with contractions as generics in canonical loop order,
/// convolutions and poolings named, everything else generic, elementwise
/// chains fused. Keeps values exactly. A second run changes nothing. Needs the
/// dialects of registerGraphDialects loaded.
llvm::LogicalResult normalizeModule(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_GRAPH_NORMALIZE_H
