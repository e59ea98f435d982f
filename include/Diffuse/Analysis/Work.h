// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much a subgraph computes and moves.

#ifndef DIFFUSE_ANALYSIS_WORK_H
#define DIFFUSE_ANALYSIS_WORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Arithmetic ops of the body of `op` (casts, constants and index arithmetic
/// do not count) times its iterations; unknown extents count as 1. 0 for an op
/// that is no linalg op.
double countFlops(mlir::Operation *op);

/// The same for every op of `function`.
double countFlops(mlir::func::FuncOp function);

/// Bytes that the caches of a core hold of what one op hands to the next,
/// beside all else. In a network, where parameters pass through it, a share of
/// a last-level cache is good for no more.
inline constexpr double kCachedBytes = 4 << 20;

/// Bytes of a tensor, unknown extents counting as 1; 0 for other types.
double countBytes(mlir::Type type);

/// Bytes of every tensor argument once, destinations included: the traffic no
/// schedule can avoid. Of an argument that is only sliced once, the slice
/// counts. Unknown extents count as 1.
double countBytes(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_WORK_H
