// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often one run of the entry runs a call.

#ifndef DIFFUSE_LIB_GRAPH_COUNTCALLS_H
#define DIFFUSE_LIB_GRAPH_COUNTCALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Sets `diffuse.calls` on every subgraph of `module`: call sites, times the
/// trip counts of the loops around them where known (else once), times the
/// calls of the function they stand in. A function that nothing calls runs
/// once. Recursive calls count once. Preparations (Diffuse/IR/Preparation.h),
/// also those that callees do for one caller, are no part of a run and do not
/// count: a subgraph without other calls has 0.
void countCalls(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_COUNTCALLS_H
