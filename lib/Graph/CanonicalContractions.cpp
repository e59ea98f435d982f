// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One form for every sum of products, so that one sketch schedules them all:
// loops in the order batch, m, n, k; the innermost dimension of the result in
// n; neighbours that are walked together merged; a batch of 1 merged away.

#include "CollapseLoops.h"
#include "Diffuse/Analysis/DimRoles.h"
#include "NormalizePatterns.h"
#include "OpKinds.h"

using namespace diffuse;
using namespace mlir;

/// Loops of one operand in the order of its dimensions, those of extent 1 left
/// out.
static llvm::SmallVector<unsigned> getWalk(AffineMap map,
                                           ArrayRef<int64_t> extents) {
  llvm::SmallVector<unsigned> walk;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (extents[dim.getPosition()] != 1)
        walk.push_back(dim.getPosition());
  return walk;
}

/// True when `second` directly follows `first` in every operand that has one of
/// the two.
static bool areNeighbours(ArrayRef<AffineMap> maps, ArrayRef<int64_t> extents,
                          unsigned first, unsigned second) {
  return llvm::all_of(maps, [&](AffineMap map) {
    llvm::SmallVector<unsigned> walk = getWalk(map, extents);
    auto at = llvm::find(walk, first);
    if (at == walk.end())
      return !llvm::is_contained(walk, second);
    return std::next(at) != walk.end() && *std::next(at) == second;
  });
}

namespace {
/// The loops of one op, being gathered into those it will have.
class LoopPlan {
public:
  explicit LoopPlan(linalg::GenericOp op)
      : maps(op.getIndexingMapsArray()), extents(op.getStaticLoopRanges()) {}

  /// Adds the loops of one role, in order. A role of ones only keeps one loop,
  /// or none when `mayVanish`.
  void addRole(ArrayRef<unsigned> loops, bool mayVanish);
  /// Every loop by itself.
  void addSingles(ArrayRef<unsigned> loops);
  /// Puts the loops of vanished roles into the first group.
  llvm::SmallVector<LoopGroup> finish();

private:
  llvm::SmallVector<AffineMap> maps;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<LoopGroup> groups;
  LoopGroup vanished;
};
} // namespace

void LoopPlan::addRole(ArrayRef<unsigned> loops, bool mayVanish) {
  size_t first = groups.size();
  LoopGroup units;
  unsigned last = 0;
  for (unsigned loop : loops) {
    if (extents[loop] == 1) {
      units.push_back(loop);
      continue;
    }
    if (groups.size() > first && areNeighbours(maps, extents, last, loop))
      groups.back().push_back(loop);
    else
      groups.push_back({loop});
    last = loop;
  }
  if (units.empty())
    return;
  if (groups.size() > first)
    groups[first].append(units);
  else if (mayVanish)
    vanished.append(units);
  else
    groups.push_back(units);
}

void LoopPlan::addSingles(ArrayRef<unsigned> loops) {
  for (unsigned loop : loops)
    groups.push_back({loop});
}

llvm::SmallVector<LoopGroup> LoopPlan::finish() {
  groups.front().append(vanished);
  return groups;
}

static llvm::SmallVector<LoopGroup> mergeLoops(linalg::GenericOp op,
                                               const ContractionRoles &roles) {
  LoopPlan plan(op);
  plan.addRole(roles.batch, /*mayVanish=*/true);
  plan.addRole(roles.m, /*mayVanish=*/false);
  plan.addRole(roles.n, /*mayVanish=*/false);
  plan.addRole(roles.k, /*mayVanish=*/false);
  return plan.finish();
}

static llvm::SmallVector<LoopGroup> orderLoops(linalg::GenericOp op,
                                               const ContractionRoles &roles) {
  LoopPlan plan(op);
  for (ArrayRef<unsigned> loops :
       {ArrayRef<unsigned>(roles.batch), ArrayRef<unsigned>(roles.m),
        ArrayRef<unsigned>(roles.n), ArrayRef<unsigned>(roles.k)})
    plan.addSingles(loops);
  return plan.finish();
}

static bool isUnchanged(ArrayRef<LoopGroup> groups) {
  for (auto [i, group] : llvm::enumerate(groups))
    if (group.size() != 1 || group.front() != i)
      return false;
  return true;
}

/// An operand that is unpacked on the way, from a narrower type, must not be
/// reshaped after it: the two would no longer fuse.
static bool reshapesCast(linalg::GenericOp op,
                         ArrayRef<CollapsedOperand> plan) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    Operation *producer = input->get().getDefiningOp();
    if (producer && plan[input->getOperandNumber()].isReshaped &&
        producer->hasOneUse() && isCheapCast(producer))
      return true;
  }
  return false;
}

/// The result's innermost dimension that is no 1 belongs to the first factor.
static bool isTransposed(linalg::GenericOp op, const ContractionRoles &roles) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  llvm::SmallVector<unsigned> walk = getWalk(map, op.getStaticLoopRanges());
  if (walk.empty())
    return roles.n.empty();
  return llvm::is_contained(roles.m, walk.back());
}

/// Exchanges the two factors. The body stays: its arguments change places.
static void swapFactors(linalg::GenericOp op, PatternRewriter &rewriter) {
  llvm::SmallVector<unsigned> inputs = getTensorInputs(op);
  unsigned a = inputs[0], b = inputs[1];
  llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  std::swap(maps[a], maps[b]);
  Block *body = op.getBody();
  rewriter.modifyOpInPlace(op, [&] {
    Value left = op->getOperand(a), right = op->getOperand(b);
    op->setOperand(a, right);
    op->setOperand(b, left);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    BlockArgument x = body->getArgument(a), y = body->getArgument(b);
    Type type = x.getType();
    x.setType(y.getType());
    y.setType(type);
    llvm::SmallVector<OpOperand *> usesOfX, usesOfY;
    for (OpOperand &use : x.getUses())
      usesOfX.push_back(&use);
    for (OpOperand &use : y.getUses())
      usesOfY.push_back(&use);
    for (OpOperand *use : usesOfX)
      use->set(y);
    for (OpOperand *use : usesOfY)
      use->set(x);
  });
}

namespace {
struct CanonicalContraction : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() == 0 || !isOutlinable(op))
      return failure();
    FailureOr<ContractionRoles> roles = inferContractionRoles(op);
    if (failed(roles))
      return failure();
    if (isTransposed(op, *roles)) {
      swapFactors(op, rewriter);
      return success();
    }
    llvm::SmallVector<LoopGroup> groups = mergeLoops(op, *roles);
    auto plan = planCollapse(op, groups);
    if (failed(plan) || reshapesCast(op, *plan)) {
      groups = orderLoops(op, *roles);
      plan = planCollapse(op, groups);
    }
    if (failed(plan) || isUnchanged(groups))
      return failure();
    collapseLoops(rewriter, op, groups, *plan);
    return success();
  }
};
} // namespace

void diffuse::populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<CanonicalContraction>(patterns.getContext());
}
