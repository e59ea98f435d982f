// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The normal form that grouping and hashing stand on.

#ifndef DIFFUSE_GRAPH_NORMALIZE_H
#define DIFFUSE_GRAPH_NORMALIZE_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Rewriting ends by itself; these only keep a mistake from hanging.
struct NormalizeLimits {
  /// Passes over a function.
  int64_t sweeps = 16;
  /// Rewrites of one sweep, for each op of the function.
  int64_t rewritesPerOp = 1000;
};

/// Brings every function of `module` that is no subgraph into normal form:
/// linalg on tensors with contractions as generics in canonical loop order,
/// convolutions and poolings named, everything else generic, elementwise
/// chains fused. Keeps values exactly. A second run changes nothing. Needs the
/// dialects of registerGraphDialects loaded.
///
/// A function that takes more than `limits` is left between forms, valid and
/// with its values kept, and gets a warning.
llvm::LogicalResult normalizeModule(mlir::ModuleOp module,
                                    NormalizeLimits limits = {});

} // namespace diffuse

#endif // DIFFUSE_GRAPH_NORMALIZE_H
