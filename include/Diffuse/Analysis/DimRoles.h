// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles of the loops of an op: which kind of work it does and what each loop
// contributes.

#ifndef DIFFUSE_ANALYSIS_DIMROLES_H
#define DIFFUSE_ANALYSIS_DIMROLES_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace diffuse {

/// Loops of one op with what they do.
struct DimRoles {
  AnchorKind kind = AnchorKind::Other;
  llvm::SmallVector<DimInfo> dims;
  llvm::SmallVector<int64_t> strides, dilations;
};

/// Loops of a contraction by role, in the order of the result for batch, m and
/// n and in the order of the first operand for k.
struct ContractionRoles {
  llvm::SmallVector<unsigned> batch, m, n, k;
};

/// Reads `op` as a sum of products of its first two tensor inputs: exactly two
/// tensor inputs (scalars may come beside them), one result, maps that are
/// projected permutations, a combining addition (or the `or` of i1), and at
/// least one k and one m or n. The body may cast and shift its inputs.
mlir::FailureOr<ContractionRoles>
inferContractionRoles(mlir::linalg::LinalgOp op);

/// Roles of the loops of any op of a subgraph. An op that is no linalg op walks
/// its result.
DimRoles inferDimRoles(mlir::Operation *op);

/// The ops that combine the partial results of `op`, one list for each result
/// that has a reduction. Fails where a reduction is no chain of ops from the
/// accumulator to the yielded value.
mlir::FailureOr<llvm::SmallVector<llvm::SmallVector<mlir::Operation *>>>
findCombiners(mlir::linalg::LinalgOp op);

/// True when the reductions of `op` give the same value, up to rounding, in
/// any order: a single op that is associative and commutative combines each
/// result. True for an op without reductions.
bool mayReorderReductions(mlir::linalg::LinalgOp op);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_DIMROLES_H
