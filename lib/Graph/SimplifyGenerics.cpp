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

/// A constant in an indexing map is a unit dimension. It becomes the unit loop
/// at its place where there is one; else the operand loses the dimension. So
/// does an operand that is broadcast and walks a unit loop.
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
    AffineMap full = useUnitLoops(map, extents);
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

  static AffineMap useUnitLoops(AffineMap map, ArrayRef<int64_t> extents) {
    llvm::SmallVector<AffineExpr> results(map.getResults());
    for (auto [dim, expr] : llvm::enumerate(results)) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      if (!constant || constant.getValue() != 0 || dim >= extents.size() ||
          extents[dim] != 1 || map.isFunctionOfDim(dim))
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

  static LogicalResult dropDims(linalg::GenericOp op, OpOperand &operand,
                                PatternRewriter &rewriter) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    llvm::SmallVector<AffineExpr> kept;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      if (!constant)
        kept.push_back(expr);
      else if (!type || type.getDimSize(dim) != 1)
        return failure();
    }
    llvm::SmallVector<ReassociationIndices> groups = groupDims(map);
    auto collapsed = tensor::CollapseShapeOp::inferCollapsedType(type, groups);
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    Value value = tensor::CollapseShapeOp::create(rewriter, loc, collapsed,
                                                  operand.get(), groups);
    AffineMap smaller =
        AffineMap::get(map.getNumDims(), 0, kept, map.getContext());
    if (!op.isDpsInit(&operand)) {
      rewriter.modifyOpInPlace(op, [&] { operand.set(value); });
      setMap(op, operand, smaller, rewriter);
      return success();
    }
    OpResult result = op.getTiedOpResult(&operand);
    llvm::SmallPtrSet<OpOperand *, 4> readers;
    for (OpOperand &use : result.getUses())
      readers.insert(&use);
    rewriter.modifyOpInPlace(op, [&] {
      operand.set(value);
      result.setType(collapsed);
    });
    setMap(op, operand, smaller, rewriter);
    rewriter.setInsertionPointAfter(op);
    auto expand =
        tensor::ExpandShapeOp::create(rewriter, loc, type, result, groups);
    rewriter.replaceUsesWithIf(
        result, expand, [&](OpOperand &use) { return readers.contains(&use); });
    return success();
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
  patterns.add<DropUnreadInit, ReadInitAsInput, InlineFill, DropUnitIndices,
               OrderElementwiseLoops, FillConstantInit>(patterns.getContext());
}
