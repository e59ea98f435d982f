// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %t = transpose(%x);  contraction ins(%t) map f  ->  ins(%x) map f then t
//
// An op that only copies elements to other places is an indexing map. Reading
// through it saves a pass over memory; what the walk then costs is the
// schedule's business (it packs). A contraction also writes through a transpose
// that keeps the innermost dimension, so its stores stay contiguous.

#include "Diffuse/Analysis/DimRoles.h"
#include "NormalizePatterns.h"
#include "OpKinds.h"

using namespace diffuse;
using namespace mlir;

/// Where the elements of a movement's result come from: result dimensions to
/// input dimensions. Null for anything else, and for a plain copy.
static AffineMap getSourceMap(linalg::GenericOp op) {
  if (!isOutlinable(op) || op.getNumDpsInputs() != 1 || !isElementwiseOp(op) ||
      inferDimRoles(op).kind != AnchorKind::Movement)
    return AffineMap();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  bool moves = map.isProjectedPermutation() && !map.isIdentity();
  return moves ? map : AffineMap();
}

/// Loops must get their extents from the operands that are left.
static bool coversLoops(ArrayRef<AffineMap> maps, MLIRContext *context) {
  AffineMap all = concatAffineMaps(maps, context);
  return static_cast<bool>(inversePermutation(all));
}

namespace {
struct FoldMovement : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOutlinable(op))
      return failure();
    for (OpOperand *input : op.getDpsInputOperands())
      if (succeeded(fold(op, *input, rewriter)))
        return success();
    return failure();
  }

private:
  static LogicalResult fold(linalg::GenericOp op, OpOperand &input,
                            PatternRewriter &rewriter) {
    auto movement = input.get().getDefiningOp<linalg::GenericOp>();
    AffineMap source = movement ? getSourceMap(movement) : AffineMap();
    if (!source)
      return failure();
    bool broadcasts = source.getNumResults() < source.getNumDims();
    if (!broadcasts && !movement->hasOneUse())
      return failure();
    llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap &map = maps[input.getOperandNumber()];
    map = source.compose(map);
    if (!coversLoops(maps, op.getContext()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      input.set(movement.getDpsInputs().front());
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

/// transpose(contraction into fill) -> contraction with its result's map
/// permuted.
struct WriteTransposed : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp transpose,
                                PatternRewriter &rewriter) const override {
    AffineMap source = getSourceMap(transpose);
    if (!source || !source.isPermutation())
      return failure();
    auto op =
        transpose.getDpsInputs().front().getDefiningOp<linalg::GenericOp>();
    if (!op || !op->hasOneUse() || op->getBlock() != transpose->getBlock() ||
        !isOutlinable(op) || failed(inferContractionRoles(op)))
      return failure();
    OpOperand &init = *op.getDpsInitOperand(0);
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    AffineMap old = op.getMatchingIndexingMap(&init);
    AffineMap permuted = inversePermutation(source).compose(old);
    if (!fill || permuted.getNumResults() == 0 ||
        permuted.getResults().back() != old.getResults().back())
      return failure();
    rewrite(op, transpose, fill.value(), permuted, rewriter);
    return success();
  }

private:
  static void rewrite(linalg::GenericOp op, linalg::GenericOp transpose,
                      Value start, AffineMap map, PatternRewriter &rewriter) {
    Location loc = transpose.getLoc();
    Value like = transpose.getDpsInits().front();
    rewriter.setInsertionPoint(transpose);
    Value init =
        linalg::FillOp::create(rewriter, loc, start, like).getResult(0);
    llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.back() = map;
    auto written = linalg::GenericOp::create(rewriter, loc, init.getType(),
                                             op.getDpsInputs(), init, maps,
                                             op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), written.getRegion(),
                                written.getRegion().begin());
    rewriter.replaceOp(transpose, written.getResults());
    rewriter.eraseOp(op);
  }
};
} // namespace

void diffuse::populateFoldMovementPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldMovement, WriteTransposed>(patterns.getContext());
}
