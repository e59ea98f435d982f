// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dimensions of the scores are followed through all that is computed from
// them: each dimension of a value, and each loop of an op, is one of them or
// none. Dimensions of one element are none, so they may come and go.

#include "AttentionPattern.h"

#include "Contraction.h"
#include "TensorTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <set>

using namespace diffuse;
using namespace mlir;

/// More groups than any spelling of a softmax takes.
static constexpr size_t kMostStages = 12;

/// No dimension of the scores.
static constexpr int kNone = -1;

namespace {
/// Dimensions of the scores, one for each dimension of a value or loop.
using Labels = llvm::SmallVector<int>;

class AttentionMatcher {
public:
  AttentionMatcher(const GroupLinks &links, unsigned scores)
      : links(links), scores(scores) {}
  std::optional<GroupNumbers> match();

private:
  bool labelScores();
  FailureOr<Labels> labelLoops(linalg::LinalgOp op);
  bool labelResult(linalg::LinalgOp op, ArrayRef<int> loops);
  bool takeBetween(linalg::LinalgOp op);
  bool takeLast(const OpGroup &group);
  bool takeSum(linalg::LinalgOp op, ArrayRef<int> loops);
  bool takeReduced(linalg::LinalgOp op, ArrayRef<int> loops);
  bool isSoftmax() const;
  Labels getRows() const;
  bool isReduced(int label) const { return reduced.count(label) != 0; }
  bool reducesColumns() const;

  const GroupLinks &links;
  unsigned scores;
  /// Values computed from the scores.
  llvm::DenseMap<Value, Labels> labels;
  /// Of each op in between.
  llvm::SmallVector<Labels> walks;
  /// The dimensions of the scores that reductions in between reduce.
  std::set<int> reduced;
  bool takesExponentials = false;
};
} // namespace

bool AttentionMatcher::labelScores() {
  const OpGroup &group = links.getGroup(scores);
  if (!getContraction(group.anchor))
    return false;
  Value value = group.root()->getResult(0);
  Labels &dims = labels[value];
  for (auto [dim, extent] : llvm::enumerate(getType(value).getShape()))
    dims.push_back(extent == 1 ? kNone : int(dim));
  return true;
}

/// Fails where operands disagree, where two loops are one dimension, and where
/// `op` walks something of the scores in another way than by loops.
FailureOr<Labels> AttentionMatcher::labelLoops(linalg::LinalgOp op) {
  Labels loops(op.getNumLoops(), kNone);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    auto known = labels.find(operand->get());
    if (std::optional<GroupLink> link = links.find(*operand)) {
      known = labels.find(link->source);
      map = link->map;
    }
    if (known == labels.end())
      continue;
    for (auto [label, expr] :
         llvm::zip_equal(known->second, map.getResults())) {
      if (label == kNone)
        continue;
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        return failure();
      int &found = loops[loop.getPosition()];
      if (found != kNone && found != label)
        return failure();
      found = label;
    }
  }
  std::set<int> seen;
  for (int label : loops)
    if (label != kNone && !seen.insert(label).second)
      return failure();
  return loops;
}

bool AttentionMatcher::labelResult(linalg::LinalgOp op, ArrayRef<int> loops) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!map.isProjectedPermutation())
    return false;
  Labels &dims = labels[op->getResult(0)];
  for (AffineExpr expr : map.getResults())
    dims.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
  return true;
}

/// All reductions are over the same dimensions.
bool AttentionMatcher::takeReduced(linalg::LinalgOp op, ArrayRef<int> loops) {
  std::set<int> found;
  for (auto [label, iterator] :
       llvm::zip_equal(loops, op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction && label != kNone)
      found.insert(label);
  if (found.empty())
    return op.getNumReductionLoops() == 0;
  if (!reduced.empty() && reduced != found)
    return false;
  reduced = found;
  return true;
}

/// An op between the contractions: all its loops are dimensions of the scores.
bool AttentionMatcher::takeBetween(linalg::LinalgOp op) {
  FailureOr<Labels> loops = labelLoops(op);
  if (failed(loops))
    return false;
  for (auto [label, extent] : llvm::zip_equal(*loops, op.getStaticLoopRanges()))
    if (label == kNone && extent != 1)
      return false;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(operand).isProjectedPermutation(true))
      return false;
  op->walk([&](Operation *inner) {
    takesExponentials |= isa<math::ExpOp, math::Exp2Op>(inner);
  });
  walks.push_back(*loops);
  return takeReduced(op, *loops) && labelResult(op, *loops);
}

/// The dimensions of the scores that are no columns.
Labels AttentionMatcher::getRows() const {
  Value value = links.getGroup(scores).root()->getResult(0);
  Labels rows;
  for (int label : labels.find(value)->second)
    if (label != kNone && !isReduced(label))
      rows.push_back(label);
  return rows;
}

/// What stands in between walks all rows, in their order, outside of columns.
bool AttentionMatcher::isSoftmax() const {
  Labels rows = getRows();
  bool areRowsOuter = llvm::all_of(walks, [&](ArrayRef<int> loops) {
    Labels walked;
    for (int label : loops)
      if (label != kNone && walked.size() < rows.size())
        walked.push_back(label);
    return walked == rows;
  });
  return takesExponentials && areRowsOuter;
}

/// The columns are dimensions of one factor of the scores; the other has more
/// than one row.
bool AttentionMatcher::reducesColumns() const {
  auto [op, roles] = *getContraction(links.getGroup(scores).anchor);
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  llvm::SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isColumn = [&](unsigned loop) {
    auto dim = map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    return dim && isReduced(*dim);
  };
  auto isRow = [&](unsigned loop) {
    return extents[loop] > 1 && !isColumn(loop);
  };
  if (reduced.empty() || llvm::any_of(roles.batch, isColumn))
    return false;
  bool inLeft = llvm::any_of(roles.m, isColumn);
  bool inRight = llvm::any_of(roles.n, isColumn);
  return inLeft != inRight && llvm::any_of(inLeft ? roles.n : roles.m, isRow);
}

/// The contraction over the columns, or an op of its epilogue, which has none.
bool AttentionMatcher::takeSum(linalg::LinalgOp op, ArrayRef<int> loops) {
  std::set<int> summed;
  for (auto [label, extent, iterator] : llvm::zip_equal(
           loops, op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    bool isSum = iterator == utils::IteratorType::reduction && extent != 1;
    if (isSum != (label != kNone && isReduced(label)))
      return false;
    if (isSum)
      summed.insert(label);
  }
  return (op.getNumReductionLoops() == 0 || summed == reduced) &&
         labelResult(op, loops);
}

/// The contraction over the columns, with what stands before and behind it.
bool AttentionMatcher::takeLast(const OpGroup &group) {
  bool isBehind = false;
  for (Operation *member : group.ops()) {
    auto op = cast<linalg::LinalgOp>(member);
    FailureOr<Labels> loops = labelLoops(op);
    if (failed(loops))
      return false;
    isBehind |= member == group.anchor;
    bool readsScores =
        llvm::any_of(*loops, [](int label) { return label != kNone; });
    if (isBehind ? !readsScores || !takeSum(op, *loops)
                 : readsScores && !takeBetween(op))
      return false;
  }
  const Labels &result = labels.find(group.root()->getResult(0))->second;
  return llvm::all_of(getRows(),
                      [&](int row) { return llvm::is_contained(result, row); });
}

std::optional<GroupNumbers> AttentionMatcher::match() {
  if (!labelScores())
    return std::nullopt;
  GroupNumbers members;
  std::set<unsigned> next = {scores};
  while (!next.empty()) {
    unsigned number = *next.begin();
    next.erase(next.begin());
    members.push_back(number);
    const OpGroup &group = links.getGroup(number);
    if (members.size() > kMostStages || !isPlainStage(group))
      return std::nullopt;
    if (number != scores && getContraction(group.anchor)) {
      bool isMatch =
          next.empty() && takeLast(group) && isSoftmax() && reducesColumns();
      return isMatch ? std::optional(members) : std::nullopt;
    }
    if (number != scores)
      for (Operation *op : group.ops())
        if (!takeBetween(cast<linalg::LinalgOp>(op)))
          return std::nullopt;
    FailureOr<GroupNumbers> readers = links.findReaders(number);
    if (failed(readers))
      return std::nullopt;
    next.insert(readers->begin(), readers->end());
  }
  return std::nullopt;
}

std::optional<GroupNumbers> diffuse::matchAttention(const GroupLinks &links,
                                                    unsigned scores) {
  return AttentionMatcher(links, scores).match();
}
