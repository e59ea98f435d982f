// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A free reshape between a contraction and the elementwise op that reads it
// would keep them apart: it moves below the elementwise op. Below reductions it
// moves too, so that rows are rows however many dimensions they were split in.
//
//   %e = expand_shape %c;  %r = elementwise(%e, %x)
//     ->  %s = elementwise(%c, collapse_shape %x);  %r = expand_shape %s

#include "CollapseLoops.h"
#include "Diffuse/Analysis/DimRoles.h"
#include "NormalizePatterns.h"
#include "OpKinds.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

/// The loops that walk each group of dimensions of an operand. Fails unless the
/// operand's map is a permutation, and for reshapes from rank 0, which leave no
/// loop to merge into.
static FailureOr<llvm::SmallVector<LoopGroup>>
groupLoops(AffineMap map, ArrayRef<ReassociationIndices> reassociation) {
  if (!map.isPermutation() || reassociation.empty())
    return failure();
  llvm::SmallVector<LoopGroup> groups;
  for (const ReassociationIndices &dims : reassociation) {
    LoopGroup &group = groups.emplace_back();
    for (int64_t dim : dims)
      group.push_back(cast<AffineDimExpr>(map.getResult(dim)).getPosition());
  }
  // Loops keep their order.
  llvm::sort(groups, [](const LoopGroup &a, const LoopGroup &b) {
    return a.front() < b.front();
  });
  return groups;
}

/// True when `op` would be fused into another producer that a reshape would
/// part it from.
static bool hasOtherProducer(linalg::GenericOp op, OpOperand *expanded) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    if (input == expanded)
      return false;
    Operation *producer = input->get().getDefiningOp();
    return producer && isReduction(producer) &&
           producer->getBlock() == op->getBlock() && producer->hasOneUse();
  });
}

namespace {
struct SinkExpand : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOutlinable(op) || !mayCollapse(op))
      return failure();
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto expand = input->get().getDefiningOp<tensor::ExpandShapeOp>();
      if (!expand || !isFromLinalg(expand) || hasOtherProducer(op, input))
        continue;
      auto groups = groupLoops(op.getMatchingIndexingMap(input),
                               expand.getReassociationIndices());
      if (failed(groups))
        continue;
      auto plan = planCollapse(op, *groups);
      if (failed(plan))
        continue;
      collapseLoops(rewriter, op, *groups, *plan);
      return success();
    }
    return failure();
  }

private:
  /// Contractions have a form of their own, convolutions a name.
  static bool mayCollapse(linalg::GenericOp op) {
    return isElementwiseOp(op) ||
           inferDimRoles(op).kind == AnchorKind::Reduction;
  }

  static bool isFromLinalg(tensor::ExpandShapeOp expand) {
    Operation *producer = expand.getSrc().getDefiningOp();
    return producer && isa<linalg::LinalgOp>(producer) &&
           producer->getBlock() == expand->getBlock();
  }
};

/// collapse_shape of a broadcast, transpose or copy -> the same on fewer loops.
struct RaiseCollapse : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp collapse,
                                PatternRewriter &rewriter) const override {
    auto movement = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
    if (!movement || !isOutlinable(movement) || !isElementwiseOp(movement) ||
        !movement->hasOneUse() || !isMovement(movement))
      return failure();
    auto groups = groupLoops(
        movement.getMatchingIndexingMap(movement.getDpsInitOperand(0)),
        collapse.getReassociationIndices());
    if (failed(groups))
      return failure();
    auto plan = planCollapse(movement, *groups);
    if (failed(plan))
      return failure();
    rewriter.setInsertionPoint(movement);
    collapseLoops(rewriter, movement, *groups, *plan);
    return success();
  }

private:
  static bool isMovement(linalg::GenericOp op) {
    Operation *yield = op.getBody()->getTerminator();
    return op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
           yield->getOperand(0) == op.getBody()->getArgument(0);
  }
};

/// True when `type` and the product of each group's extents leave no choice
/// for the extents that are not known.
static bool isDetermined(RankedTensorType type,
                         ArrayRef<ReassociationIndices> reassociation) {
  return llvm::all_of(reassociation, [&](const ReassociationIndices &dims) {
    auto countExtents = [&](int64_t extent) {
      return llvm::count_if(
          dims, [&](int64_t dim) { return type.getDimSize(dim) == extent; });
    };
    int64_t unknown = countExtents(ShapedType::kDynamic);
    return unknown == 0 || (unknown == 1 && countExtents(0) == 0);
  });
}

/// A reshape of the inverse reshape is what was there before. Collapsing undoes
/// any expansion; expanding undoes a collapse only where it cannot choose other
/// extents.
template <typename Outer, typename Inner>
struct CancelReshape : OpRewritePattern<Outer> {
  using OpRewritePattern<Outer>::OpRewritePattern;

  LogicalResult matchAndRewrite(Outer outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getSrc().template getDefiningOp<Inner>();
    if (!inner || inner.getSrc().getType() != outer.getType() ||
        inner.getReassociation() != outer.getReassociation())
      return failure();
    if (std::is_same_v<Outer, tensor::ExpandShapeOp> &&
        !isDetermined(outer.getResultType(), outer.getReassociationIndices()))
      return failure();
    rewriter.replaceOp(outer, inner.getSrc());
    return success();
  }
};
} // namespace

void diffuse::populateReshapePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<SinkExpand, RaiseCollapse,
               CancelReshape<tensor::CollapseShapeOp, tensor::ExpandShapeOp>,
               CancelReshape<tensor::ExpandShapeOp, tensor::CollapseShapeOp>>(
      context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
}
