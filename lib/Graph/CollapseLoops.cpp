// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's collapseOpIterationDims wants every loop of a group in an operand
// or none, so a batch of 1 in the data keeps it from merging with the channels
// where the bias knows channels only. Here loops of extent 1 are free.

#include "CollapseLoops.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// The groups seen from a loop.
struct LoopPlaces {
  /// Number of the loop's group, and place in it among the loops that count.
  llvm::SmallVector<unsigned> group, place;
  /// Loops of extent 1 in a group that has others.
  llvm::SmallVector<bool> isFree;
  /// Loops that count, of each group.
  llvm::SmallVector<unsigned> sizes;
};
} // namespace

static LoopPlaces locateLoops(ArrayRef<LoopGroup> groups,
                              ArrayRef<int64_t> extents) {
  LoopPlaces places;
  places.group.resize(extents.size());
  places.place.resize(extents.size());
  places.isFree.resize(extents.size());
  for (auto [number, group] : llvm::enumerate(groups)) {
    bool allUnit =
        llvm::all_of(group, [&](unsigned loop) { return extents[loop] == 1; });
    unsigned next = 0;
    for (auto [i, loop] : llvm::enumerate(group)) {
      // The first of nothing but ones stands for all.
      bool isFree = allUnit ? i != 0 : extents[loop] == 1;
      places.group[loop] = number;
      places.isFree[loop] = isFree;
      places.place[loop] = isFree ? 0 : next++;
    }
    places.sizes.push_back(next);
  }
  return places;
}

/// Walks the dimensions of one operand and cuts them into the new ones.
static FailureOr<CollapsedOperand>
planOperand(AffineMap map, const LoopPlaces &places, MLIRContext *context) {
  CollapsedOperand plan;
  llvm::SmallVector<unsigned> bucketGroups, bucketSizes;
  ReassociationIndices pending;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loopExpr = dyn_cast<AffineDimExpr>(expr);
    if (!loopExpr)
      return failure();
    unsigned loop = loopExpr.getPosition();
    if (places.isFree[loop]) {
      auto &bucket =
          plan.reassociation.empty() ? pending : plan.reassociation.back();
      bucket.push_back(dim);
      continue;
    }
    unsigned group = places.group[loop];
    bool continues = !bucketGroups.empty() && bucketGroups.back() == group &&
                     bucketSizes.back() == places.place[loop];
    if (continues) {
      plan.reassociation.back().push_back(dim);
      ++bucketSizes.back();
      continue;
    }
    if (places.place[loop] != 0 || llvm::is_contained(bucketGroups, group))
      return failure();
    bucketGroups.push_back(group);
    bucketSizes.push_back(1);
    plan.reassociation.push_back(pending);
    plan.reassociation.back().push_back(dim);
    pending.clear();
  }
  llvm::SmallVector<AffineExpr> results;
  for (auto [group, size] : llvm::zip_equal(bucketGroups, bucketSizes)) {
    if (size != places.sizes[group])
      return failure();
    results.push_back(getAffineDimExpr(group, context));
  }
  plan.isReshaped = plan.reassociation.size() != map.getNumResults();
  plan.map = AffineMap::get(places.sizes.size(), 0, results, context);
  return plan;
}

/// At most one unknown extent in each group: the lowering of reshapes with two
/// is broken in MLIR 22.
static bool hasFewUnknowns(Type type, const CollapsedOperand &plan) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || llvm::all_of(plan.reassociation, [&](const auto &dims) {
    return llvm::count_if(dims, [&](int64_t dim) {
             return tensor.isDynamicDim(dim);
           }) <= 1;
  });
}

/// Rounded sums depend on the order of their steps.
static bool keepsReductionOrder(linalg::GenericOp op,
                                ArrayRef<LoopGroup> groups) {
  auto iterators = op.getIteratorTypesArray();
  llvm::SmallVector<int64_t> extents = op.getStaticLoopRanges();
  llvm::SmallVector<unsigned> order;
  for (const LoopGroup &group : groups)
    for (unsigned loop : group)
      if (iterators[loop] == utils::IteratorType::reduction &&
          extents[loop] != 1)
        order.push_back(loop);
  return llvm::is_sorted(order);
}

FailureOr<llvm::SmallVector<CollapsedOperand>>
diffuse::planCollapse(linalg::GenericOp op, ArrayRef<LoopGroup> groups) {
  if (op.hasIndexSemantics() || !keepsReductionOrder(op, groups))
    return failure();
  LoopPlaces places = locateLoops(groups, op.getStaticLoopRanges());
  llvm::SmallVector<CollapsedOperand> plans;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<CollapsedOperand> plan = planOperand(
        op.getMatchingIndexingMap(&operand), places, op.getContext());
    if (failed(plan) || !hasFewUnknowns(operand.get().getType(), *plan))
      return failure();
    plans.push_back(*plan);
  }
  return plans;
}

static Value collapseOperand(RewriterBase &rewriter, Location loc, Value value,
                             const CollapsedOperand &plan) {
  if (!plan.isReshaped)
    return value;
  auto type = tensor::CollapseShapeOp::inferCollapsedType(
      cast<RankedTensorType>(value.getType()), plan.reassociation);
  auto empty = value.getDefiningOp<tensor::EmptyOp>();
  if (empty && type.hasStaticShape())
    return tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
  return tensor::CollapseShapeOp::create(rewriter, loc, type, value,
                                         plan.reassociation);
}

/// A merged loop is a reduction when all that count in it are.
static llvm::SmallVector<utils::IteratorType>
mergeIterators(linalg::GenericOp op, ArrayRef<LoopGroup> groups) {
  auto old = op.getIteratorTypesArray();
  llvm::SmallVector<int64_t> extents = op.getStaticLoopRanges();
  llvm::SmallVector<utils::IteratorType> merged;
  for (const LoopGroup &group : groups) {
    const unsigned *counts =
        llvm::find_if(group, [&](unsigned loop) { return extents[loop] != 1; });
    merged.push_back(old[counts == group.end() ? group.front() : *counts]);
  }
  return merged;
}

linalg::GenericOp diffuse::collapseLoops(RewriterBase &rewriter,
                                         linalg::GenericOp op,
                                         ArrayRef<LoopGroup> groups,
                                         ArrayRef<CollapsedOperand> plan) {
  Location loc = op.getLoc();
  llvm::SmallVector<Value> operands;
  llvm::SmallVector<AffineMap> maps;
  for (auto [operand, collapsed] : llvm::zip_equal(op->getOperands(), plan)) {
    operands.push_back(collapseOperand(rewriter, loc, operand, collapsed));
    maps.push_back(collapsed.map);
  }
  ValueRange inputs = ValueRange(operands).take_front(op.getNumDpsInputs());
  ValueRange inits = ValueRange(operands).take_back(op.getNumDpsInits());
  auto merged =
      linalg::GenericOp::create(rewriter, loc, inits.getTypes(), inputs, inits,
                                maps, mergeIterators(op, groups));
  rewriter.inlineRegionBefore(op.getRegion(), merged.getRegion(),
                              merged.getRegion().begin());
  llvm::SmallVector<Value> results;
  ArrayRef<CollapsedOperand> resultPlans = plan.take_back(op.getNumDpsInits());
  for (auto [old, result, collapsed] :
       llvm::zip_equal(op.getResults(), merged.getResults(), resultPlans)) {
    Value value = result;
    if (collapsed.isReshaped)
      value = tensor::ExpandShapeOp::create(rewriter, loc, old.getType(),
                                            result, collapsed.reassociation);
    results.push_back(value);
  }
  rewriter.replaceOp(op, results);
  return merged;
}
