// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   contraction [6][12544][16], relu, expand_shape -> [1][6][112][112][16]
// ->
//   contraction [1][6][112][112][16], relu
//
// First everything is looked at, then everything is made: nothing is left half
// done. What is read from outside is reshaped instead, which costs nothing; a
// loop of extent 1 walks no operand but the ones that grow. Upstream's
// FoldReshapeWithGenericOpByExpansion takes one generic at a time, no fill, and
// has every operand walk loops of extent 1.

#include "ExpandLoops.h"

#include "CutLoops.h"
#include "OpKinds.h"
#include "TensorTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// Extents of the loops that each loop becomes.
using LoopParts = llvm::SmallVector<llvm::SmallVector<int64_t, 2>>;
} // namespace

/// The parts of the loops of `op` where its result's dimensions become `dims`;
/// fails where the result does not walk each parallel loop once.
static FailureOr<LoopParts> findParts(linalg::LinalgOp op,
                                      const LoopParts &dims) {
  if (!canCutLoops(op))
    return failure();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  LoopParts parts;
  for (int64_t extent : op.getStaticLoopRanges())
    parts.push_back({extent});
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    parts[cast<AffineDimExpr>(expr).getPosition()] = dims[dim];
  // A loop that is part of a sum cannot become two.
  for (OpOperand &operand : op->getOpOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      for (auto [loop, extents] : llvm::enumerate(parts))
        if (extents.size() > 1 && expr.isFunctionOfDim(loop) &&
            !isa<AffineDimExpr>(expr))
          return failure();
  return parts;
}

/// The op in front of an elementwise `op` that it is the epilogue of.
static linalg::LinalgOp getChained(linalg::LinalgOp op, OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<linalg::LinalgOp>();
  if (!producer || !isElementwiseOp(op) || op.isDpsInit(&operand) ||
      !isReduction(producer) || !producer->hasOneUse() ||
      producer->getBlock() != op->getBlock() || !isOutlinable(producer) ||
      !op.getMatchingIndexingMap(&operand).isIdentity())
    return nullptr;
  return producer;
}

/// The op that starts `operand`, made anew for its user.
static linalg::LinalgOp getStart(linalg::LinalgOp op, OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<linalg::LinalgOp>();
  return producer && op.isDpsInit(&operand) && isCheapInit(producer) ? producer
                                                                     : nullptr;
}

static bool canExpand(linalg::LinalgOp op, const LoopParts &dims) {
  if (!areStatic(op) || !isOutlinable(op) || failed(findParts(op, dims)))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    linalg::LinalgOp chained = getChained(op, operand);
    linalg::LinalgOp next = chained ? chained : getStart(op, operand);
    if (next && !canExpand(next, dims))
      return false;
  }
  return true;
}

namespace {
/// One operand after its dimensions were expanded.
struct ExpandedOperand {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<ReassociationIndices> groups;
  llvm::SmallVector<AffineExpr> walk;
};
} // namespace

/// Operands that grow are walked by loops of one element too.
static ExpandedOperand planOperand(AffineMap map, RankedTensorType type,
                                   const LoopParts &parts,
                                   ArrayRef<unsigned> first, bool grows) {
  ExpandedOperand plan;
  llvm::SmallVector<AffineExpr> moved;
  for (unsigned number : first)
    moved.push_back(getAffineDimExpr(number, map.getContext()));
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    ReassociationIndices &group = plan.groups.emplace_back();
    auto add = [&](int64_t extent, AffineExpr walked) {
      group.push_back(plan.shape.size());
      plan.shape.push_back(extent);
      plan.walk.push_back(walked);
    };
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || parts[loop.getPosition()].size() == 1) {
      add(type.getDimSize(dim), expr.replaceDims(moved));
      continue;
    }
    unsigned start = first[loop.getPosition()];
    ArrayRef<int64_t> extents = parts[loop.getPosition()];
    for (auto [i, extent] : llvm::enumerate(extents))
      if (grows || extent != 1)
        add(extent, getAffineDimExpr(start + i, map.getContext()));
    if (group.empty())
      add(1, getAffineDimExpr(start, map.getContext()));
  }
  return plan;
}

/// Groups of the dimensions of `from`, one for each of `to`, that differs from
/// it by dimensions of one element only; fails for any other.
static FailureOr<llvm::SmallVector<ReassociationIndices>>
dropUnits(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  llvm::SmallVector<ReassociationIndices> groups;
  ReassociationIndices pending;
  for (auto [dim, extent] : llvm::enumerate(from)) {
    bool isNext = groups.size() < to.size() && to[groups.size()] == extent;
    if (!isNext && extent != 1)
      return failure();
    if (!isNext) {
      (groups.empty() ? pending : groups.back()).push_back(dim);
      continue;
    }
    groups.push_back(pending);
    groups.back().push_back(dim);
    pending.clear();
  }
  if (groups.size() != to.size())
    return failure();
  return groups;
}

/// A free reshape of `value`, from what it was reshaped from where possible.
static Value reshape(OpBuilder &builder, Value value,
                     const ExpandedOperand &plan) {
  Location loc = value.getLoc();
  auto type =
      RankedTensorType::get(plan.shape, getType(value).getElementType());
  if (type == value.getType())
    return value;
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (collapse && collapse.getSrcType() == type)
    return collapse.getSrc();
  if (collapse)
    if (auto groups = dropUnits(collapse.getSrcType().getShape(), plan.shape);
        succeeded(groups))
      return tensor::CollapseShapeOp::create(builder, loc, type,
                                             collapse.getSrc(), *groups);
  return tensor::ExpandShapeOp::create(builder, loc, type, value, plan.groups);
}

static Value expandOp(OpBuilder &builder, linalg::LinalgOp op,
                      const LoopParts &dims);

static Value expandOperand(OpBuilder &builder, linalg::LinalgOp op,
                           OpOperand &operand, const ExpandedOperand &plan,
                           const LoopParts &dims) {
  if (linalg::LinalgOp chained = getChained(op, operand))
    return expandOp(builder, chained, dims);
  if (linalg::LinalgOp start = getStart(op, operand))
    return expandOp(builder, start, dims);
  if (operand.get().getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(builder, op.getLoc(), plan.shape,
                                   getType(operand.get()).getElementType());
  if (!isa<RankedTensorType>(operand.get().getType()))
    return operand.get();
  return reshape(builder, operand.get(), plan);
}

/// `op`, which is known to be expandable, with its loops expanded.
static Value expandOp(OpBuilder &builder, linalg::LinalgOp op,
                      const LoopParts &dims) {
  LoopParts parts = *findParts(op, dims);
  llvm::SmallVector<unsigned> first;
  llvm::SmallVector<utils::IteratorType> iterators;
  for (auto [extents, iterator] :
       llvm::zip_equal(parts, op.getIteratorTypesArray())) {
    first.push_back(iterators.size());
    iterators.append(extents.size(), iterator);
  }
  llvm::SmallVector<Value> operands;
  llvm::SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    bool grows = op.isDpsInit(&operand) || getChained(op, operand);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    ExpandedOperand plan = planOperand(op.getMatchingIndexingMap(&operand),
                                       type, parts, first, grows);
    operands.push_back(expandOperand(builder, op, operand, plan, dims));
    maps.push_back(
        AffineMap::get(iterators.size(), 0, plan.walk, op.getContext()));
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return linalg::FillOp::create(builder, op.getLoc(), fill.value(),
                                  operands.back())
        .getResult(0);
  ValueRange inits = ValueRange(operands).take_back(1);
  auto expanded = linalg::GenericOp::create(
      builder, op.getLoc(), inits.getTypes(), ValueRange(operands).drop_back(1),
      inits, maps, iterators);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&expanded.getRegion(), mapping);
  return expanded.getResult(0);
}

/// Erases `op`, which nobody reads any more, and the contractions of which it
/// was the epilogue: what it reads of them was made anew.
static void eraseChain(linalg::LinalgOp op) {
  llvm::SmallVector<linalg::LinalgOp> chained;
  for (OpOperand &operand : op->getOpOperands())
    if (linalg::LinalgOp producer = getChained(op, operand))
      chained.push_back(producer);
  op.erase();
  for (linalg::LinalgOp producer : chained)
    eraseChain(producer);
}

bool diffuse::expandProducer(OpBuilder &builder, tensor::ExpandShapeOp expand) {
  auto op = expand.getSrc().getDefiningOp<linalg::LinalgOp>();
  ArrayRef<int64_t> shape = expand.getType().getShape();
  LoopParts dims;
  for (const ReassociationIndices &group : expand.getReassociationIndices()) {
    auto &parts = dims.emplace_back();
    for (int64_t dim : group)
      parts.push_back(shape[dim]);
  }
  if (!op || !op->hasOneUse() || op->getBlock() != expand->getBlock() ||
      dims.empty() || dims.back().size() != 1 || !canExpand(op, dims))
    return false;
  builder.setInsertionPoint(expand);
  Value expanded = expandOp(builder, op, dims);
  expand.replaceAllUsesWith(expanded);
  expand.erase();
  eraseChain(op);
  return true;
}
