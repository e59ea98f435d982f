// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TUNING_REDUCTIONLENGTHS_H
#define DIFFUSE_TUNING_REDUCTIONLENGTHS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace diffuse {

/// For each result of a subgraph, in order: how many terms one of its elements
/// sums over, in all reductions that it depends on, and at least 1. Rounding
/// errors of reductions that follow one another add up, and so do their
/// lengths. An unknown extent counts as 1.
std::vector<int64_t> reductionLengths(mlir::func::FuncOp subgraph);

} // namespace diffuse

#endif // DIFFUSE_TUNING_REDUCTIONLENGTHS_H
