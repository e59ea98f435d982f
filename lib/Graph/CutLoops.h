// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops cut into blocks: the op on tensors whose dimensions are cut the same
// way.

#ifndef DIFFUSE_LIB_GRAPH_CUTLOOPS_H
#define DIFFUSE_LIB_GRAPH_CUTLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace diffuse {

/// A loop that becomes two: over blocks, and over the `block` elements of one.
/// The block divides the loop's extent.
struct LoopCut {
  unsigned loop;
  int64_t block;
};

/// Where the elements of a block lie in a tensor whose dimension is cut.
enum class CutForm {
  /// Right inside the dimension: a free reshape of the plain tensor.
  InPlace,
  /// In a dimension of their own after all others, those of reductions before
  /// those of parallel loops: vectors run along parallel loops.
  Last
};

/// One dimension of an operand that walks a loop that is cut.
struct DimCut {
  unsigned dim;
  int64_t block;
  CutForm form;
};

/// The dimensions of `operand` that the loops of `cuts` walk, all in the form
/// `form`. Fails where such a loop is part of a sum.
mlir::FailureOr<llvm::SmallVector<DimCut>>
findDimCuts(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
            llvm::ArrayRef<LoopCut> cuts, CutForm form);

/// The same for every operand of `op`; fails also where an operand walks such
/// loops in several dimensions.
mlir::FailureOr<llvm::SmallVector<llvm::SmallVector<DimCut>>>
findSingleCuts(mlir::linalg::LinalgOp op, LoopCut cut, CutForm form);

/// `op` with the loops of `cuts` cut, on `operands` whose dimensions are cut as
/// `dimCuts` says, one entry for each operand. Parallel loops stand in the
/// order of the result, so an elementwise op walks it by an identity map; loops
/// of a reduction keep their order, the blocks' inner loops right inside, so
/// sums keep theirs. Needs canCutLoops.
mlir::linalg::GenericOp
cutLoops(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
         llvm::ArrayRef<LoopCut> cuts,
         llvm::ArrayRef<llvm::SmallVector<DimCut>> dimCuts,
         mlir::ValueRange operands);

/// True when `op` has one result, which walks every parallel loop once, and
/// does not ask for loop numbers.
bool canCutLoops(mlir::linalg::LinalgOp op);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_CUTLOOPS_H
