// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Front ends index unit dimensions by 0, by the unit loop, or drop them. Here
// an operand that is walked whole is indexed by loops, and one that is
// broadcast has no unit dimension at all:
//
//   (d0, d1, d2) -> (0, d1, d2)  on 1x8x6  ->  (d0, d1, d2)  on 1x8x6
//   (d0, d1, d2) -> (d0, d1, 0)  on 4x8x1  ->  (d0, d1)      on 4x8

#include "NormalizePatterns.h"
#include "OpKinds.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// A constant in an indexing map is a unit dimension. It becomes the unit loop
/// at its place where there is one; else the operand loses the dimension. So
/// does an operand that is broadcast and walks a unit loop. A result is not
/// indexed by reduction loops, also not by those of extent 1.
struct DropUnitIndices : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOutlinable(op))
      return failure();
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      AffineMap better = improve(op, operand, map);
      if (better != map) {
        setMap(op, operand, better, rewriter);
        return success();
      }
      if (hasConstant(map) && succeeded(dropDims(op, operand, rewriter)))
        return success();
    }
    return failure();
  }

private:
  static bool hasConstant(AffineMap map) {
    return llvm::any_of(map.getResults(), [](AffineExpr expr) {
      return isa<AffineConstantExpr>(expr);
    });
  }

  /// The map with more loops, where that makes it the identity, or with more
  /// constants, where the operand is broadcast.
  static AffineMap improve(linalg::GenericOp op, OpOperand &operand,
                           AffineMap map) {
    llvm::SmallVector<int64_t> extents = op.getStaticLoopRanges();
    AffineMap full = useUnitLoops(map, getUnitLoops(op, operand));
    bool isBroadcast = op.getNumReductionLoops() == 0 &&
                       !op.isDpsInit(&operand) && full.getNumResults() != 0 &&
                       !full.isPermutation() &&
                       isa<RankedTensorType>(operand.get().getType());
    return isBroadcast ? useConstants(map, extents) : full;
  }

  static AffineMap useConstants(AffineMap map, ArrayRef<int64_t> extents) {
    llvm::SmallVector<AffineExpr> results(map.getResults());
    for (AffineExpr &expr : results)
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (extents[dim.getPosition()] == 1)
          expr = getAffineConstantExpr(0, map.getContext());
    return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  }

  /// For each loop, whether it may index a unit dimension of `operand`.
  static llvm::SmallVector<bool> getUnitLoops(linalg::GenericOp op,
                                              OpOperand &operand) {
    llvm::SmallVector<bool> isUnit;
    for (auto [extent, iterator] :
         llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      isUnit.push_back(extent == 1 &&
                       (!op.isDpsInit(&operand) ||
                        iterator == utils::IteratorType::parallel));
    return isUnit;
  }

  static AffineMap useUnitLoops(AffineMap map, ArrayRef<bool> isUnit) {
    llvm::SmallVector<AffineExpr> results(map.getResults());
    for (auto [dim, expr] : llvm::enumerate(results)) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      if (!constant || constant.getValue() != 0 || dim >= isUnit.size() ||
          !isUnit[dim] || map.isFunctionOfDim(dim))
        continue;
      expr = getAffineDimExpr(dim, map.getContext());
    }
    return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  }

  static void setMap(linalg::GenericOp op, OpOperand &operand, AffineMap map,
                     PatternRewriter &rewriter) {
    llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps[operand.getOperandNumber()] = map;
    rewriter.modifyOpInPlace(op, [&] {
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  }

  /// Groups of dimensions with one that is no constant in each, or none at all.
  static llvm::SmallVector<ReassociationIndices> groupDims(AffineMap map) {
    llvm::SmallVector<ReassociationIndices> groups;
    ReassociationIndices pending;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (!isa<AffineConstantExpr>(expr)) {
        groups.push_back(pending);
        groups.back().push_back(dim);
        pending.clear();
      } else {
        (groups.empty() ? pending : groups.back()).push_back(dim);
      }
    }
    return groups;
  }

  /// The map without its constants; fails where one is no unit dimension.
  static FailureOr<AffineMap> keepLoops(AffineMap map, RankedTensorType type) {
    llvm::SmallVector<AffineExpr> kept;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (!isa<AffineConstantExpr>(expr))
        kept.push_back(expr);
      else if (!type || type.getDimSize(dim) != 1)
        return failure();
    }
    return AffineMap::get(map.getNumDims(), 0, kept, map.getContext());
  }

  static LogicalResult dropDims(linalg::GenericOp op, OpOperand &operand,
                                PatternRewriter &rewriter) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    FailureOr<AffineMap> smaller = keepLoops(map, type);
    if (failed(smaller))
      return failure();
    llvm::SmallVector<ReassociationIndices> groups = groupDims(map);
    auto collapsed = tensor::CollapseShapeOp::inferCollapsedType(type, groups);
    rewriter.setInsertionPoint(op);
    Value value = tensor::CollapseShapeOp::create(
        rewriter, op.getLoc(), collapsed, operand.get(), groups);
    rewriter.modifyOpInPlace(op, [&] { operand.set(value); });
    setMap(op, operand, *smaller, rewriter);
    if (op.isDpsInit(&operand))
      expandResult(op.getTiedOpResult(&operand), type, groups, rewriter);
    return success();
  }

  /// Readers of `result` keep seeing its old type.
  static void expandResult(OpResult result, RankedTensorType type,
                           ArrayRef<ReassociationIndices> groups,
                           PatternRewriter &rewriter) {
    // Creating the expansion adds readers of its own: extents of the result.
    llvm::SmallPtrSet<OpOperand *, 4> readers;
    for (OpOperand &use : result.getUses())
      readers.insert(&use);
    rewriter.modifyOpInPlace(result.getOwner(), [&] {
      result.setType(tensor::CollapseShapeOp::inferCollapsedType(
          type, llvm::to_vector(groups)));
    });
    rewriter.setInsertionPointAfter(result.getOwner());
    auto expand = tensor::ExpandShapeOp::create(rewriter, result.getLoc(), type,
                                                result, groups);
    rewriter.replaceUsesWithIf(
        result, expand, [&](OpOperand &use) { return readers.contains(&use); });
  }
};
} // namespace

void diffuse::populateDropUnitIndicesPatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnitIndices>(patterns.getContext());
}
