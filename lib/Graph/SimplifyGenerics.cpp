// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many spellings of one generic become one: front ends reuse whatever tensor is
// at hand as an init, index unit dimensions by 0, and leave results that nobody
// reads.

#include "NormalizePatterns.h"
#include "OpKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

/// A tensor of the type of `like` whose elements do not matter.
static Value createEmptyLike(PatternRewriter &rewriter, Location loc,
                             Value like) {
  return tensor::EmptyOp::create(rewriter, loc,
                                 tensor::getMixedSizes(rewriter, loc, like),
                                 getElementTypeOrSelf(like.getType()));
}

namespace {
/// outs(%data) that is never read -> outs(tensor.empty).
struct DropUnreadInit : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOutlinable(op))
      return failure();
    bool changed = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (init.get().getDefiningOp<tensor::EmptyOp>() || readsInit(op, init))
        continue;
      Value empty = createEmptyLike(rewriter, op.getLoc(), init.get());
      if (empty.getType() != init.get().getType())
        empty = tensor::CastOp::create(rewriter, op.getLoc(),
                                       init.get().getType(), empty);
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
      changed = true;
    }
    return success(changed);
  }
};

/// An elementwise op that reads and overwrites its init reads an input instead,
/// so that it can be fused with what made it. Only where every element is
/// written: the others would keep what the init holds.
struct ReadInitAsInput : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() != 0 || !isOutlinable(op))
      return failure();
    auto match = llvm::find_if(op.getDpsInitsMutable(), [&](OpOperand &init) {
      return op.payloadUsesValueFromOperand(&init) &&
             op.getMatchingIndexingMap(&init).isPermutation() &&
             !init.get().getDefiningOp<tensor::EmptyOp>();
    });
    if (match == op.getDpsInitsMutable().end())
      return failure();
    moveToInputs(op, *match, rewriter);
    return success();
  }

private:
  static void moveToInputs(linalg::GenericOp op, OpOperand &init,
                           PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    unsigned inputs = op.getNumDpsInputs();
    unsigned number = init.getOperandNumber();
    llvm::SmallVector<Value> ins = op.getDpsInputs();
    llvm::SmallVector<Value> outs = llvm::to_vector(op.getDpsInits());
    llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    Value data = init.get();
    ins.push_back(data);
    outs[number - inputs] = createEmptyLike(rewriter, loc, data);
    maps.insert(maps.begin() + inputs, maps[number]);
    auto moved =
        linalg::GenericOp::create(rewriter, loc, op.getResultTypes(), ins, outs,
                                  maps, op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), moved.getRegion(),
                                moved.getRegion().begin());
    Block *body = moved.getBody();
    BlockArgument argument =
        body->insertArgument(inputs, getElementTypeOrSelf(data.getType()), loc);
    rewriter.replaceAllUsesWith(body->getArgument(number + 1), argument);
    rewriter.replaceOp(op, moved.getResults());
  }
};

/// ins(linalg.fill) -> the scalar in the body.
struct InlineFill : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOutlinable(op))
      return failure();
    bool changed = false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto fill = input->get().getDefiningOp<linalg::FillOp>();
      BlockArgument argument = op.getMatchingBlockArgument(input);
      if (!fill || argument.use_empty() ||
          fill.value().getType() != argument.getType())
        continue;
      rewriter.replaceAllUsesWith(argument, fill.value());
      changed = true;
    }
    return success(changed);
  }
};

/// Loops of an elementwise op in the order of its first result.
struct OrderElementwiseLoops : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() != 0 || !isOutlinable(op))
      return failure();
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (!map.isPermutation() || map.isIdentity())
      return failure();
    llvm::SmallVector<unsigned> order;
    for (AffineExpr expr : map.getResults())
      order.push_back(cast<AffineDimExpr>(expr).getPosition());
    return linalg::interchangeGenericOp(rewriter, op, order);
  }
};

/// A constant init of zeros, infinities or extremes is the start of a
/// reduction, not a parameter: a fill can be repeated where it is needed.
struct FillConstantInit : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() == 0 || !isOutlinable(op))
      return failure();
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto constant = init.get().getDefiningOp<arith::ConstantOp>();
      auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                            : SplatElementsAttr();
      if (!splat || splat.getType().getRank() == 0 || !isStart(splat))
        continue;
      Location loc = op.getLoc();
      Value scalar = arith::ConstantOp::create(
          rewriter, loc, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
      Value empty = createEmptyLike(rewriter, loc, init.get());
      Value fill =
          linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);
      rewriter.modifyOpInPlace(op, [&] { init.set(fill); });
      return success();
    }
    return failure();
  }

private:
  static bool isStart(SplatElementsAttr splat) {
    Attribute value = splat.getSplatValue<Attribute>();
    if (auto number = dyn_cast<FloatAttr>(value))
      return number.getValue().isZero() || number.getValue().isInfinity() ||
             number.getValue().isLargest();
    auto integer = dyn_cast<IntegerAttr>(value);
    return integer &&
           (integer.getValue().isZero() || integer.getValue().isAllOnes() ||
            integer.getValue().isMinSignedValue() ||
            integer.getValue().isMaxSignedValue());
  }
};
} // namespace

void diffuse::populateSimplifyPatterns(RewritePatternSet &patterns) {
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  patterns.add<DropUnreadInit, ReadInitAsInput, InlineFill,
               OrderElementwiseLoops, FillConstantInit>(patterns.getContext());
}
