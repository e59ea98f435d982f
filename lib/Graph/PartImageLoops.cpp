// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %d = depthwise convolution                  [1][6][28][28][32]
//   %c = collapse_shape %d                      [6][784][32]
//   %p = contraction %c                         [2][784][32]
// ->
//   %c = collapse_shape %d                      [6][28][28][32]
//   %e = contraction %c                         [2][28][28][32]
//   %p = collapse_shape %e                      [2][784][32]
//
// Normalization merges loops, which a sketch of the contraction alone likes
// best; tiles of an image that go from one op to the next need them apart.
//
// What could not be joined even so stays merged: for this, groups are made as
// outlining will make them, and asked what it will ask of them.

#include "PartImageLoops.h"

#include "ExpandLoops.h"
#include "NamedPatterns.h"
#include "SeparablePattern.h"
#include "TensorTypes.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// A contraction, alone behind a merge of the loops over an image.
struct MergedReader {
  tensor::CollapseShapeOp merge;
  /// What the contraction's group gives, in its loop order.
  Value result;
};

/// Looks for them in one block.
class MergeFinder {
public:
  MergeFinder(ArrayRef<OpGroup> groups, ParameterValues &parameters)
      : groups(groups), parameters(parameters) {}
  void run(llvm::SmallVectorImpl<MergedReader> &found);

private:
  tensor::CollapseShapeOp findMerge(const OpGroup &reader);

  ArrayRef<OpGroup> groups;
  ParameterValues &parameters;
  /// The groups of depthwise convolutions that may be joined, by their roots.
  llvm::DenseMap<Operation *, const OpGroup *> depthwise;
};
} // namespace

/// How `reader` walks what `merge` merges, each dimension by the loop over the
/// one that it is part of.
static llvm::SmallVector<AffineExpr> walkParts(linalg::LinalgOp reader,
                                               tensor::CollapseShapeOp merge) {
  AffineMap map = reader.getMatchingIndexingMap(&*merge->use_begin());
  llvm::SmallVector<AffineExpr> walk;
  for (auto [group, expr] :
       llvm::zip_equal(merge.getReassociationIndices(), map.getResults()))
    walk.append(group.size(), expr);
  return walk;
}

/// What the anchor of `reader` reads a depthwise convolution through, if both
/// could be joined without it, or null.
tensor::CollapseShapeOp MergeFinder::findMerge(const OpGroup &reader) {
  auto contraction = getContraction(reader.anchor);
  // A pad that the group writes into wants its result as it is.
  if (!contraction || reader.pad || !mayBeStage(reader, true, parameters))
    return nullptr;
  for (OpOperand *input : contraction->op.getDpsInputOperands()) {
    auto merge = input->get().getDefiningOp<tensor::CollapseShapeOp>();
    if (!merge || !merge->hasOneUse() || !merge.getSrc().hasOneUse() ||
        merge.getType().getRank() == 0)
      continue;
    const OpGroup *group = depthwise.lookup(merge.getSrc().getDefiningOp());
    if (group &&
        walksImage(*group, *contraction, walkParts(contraction->op, merge)))
      return merge;
  }
  return nullptr;
}

void MergeFinder::run(llvm::SmallVectorImpl<MergedReader> &found) {
  for (const OpGroup &group : groups)
    if (isDepthwise(group) && mayBeStage(group, false, parameters))
      depthwise[group.root()] = &group;
  if (depthwise.empty())
    return;
  for (const OpGroup &group : groups)
    if (tensor::CollapseShapeOp merge = findMerge(group))
      found.push_back({merge, group.root()->getResult(0)});
}

/// The extents larger than 1 that `merge` merges into each dimension.
static llvm::SmallVector<llvm::SmallVector<int64_t>>
getParts(tensor::CollapseShapeOp merge) {
  llvm::SmallVector<llvm::SmallVector<int64_t>> parts;
  for (const ReassociationIndices &group : merge.getReassociationIndices()) {
    auto &extents = parts.emplace_back();
    for (int64_t dim : group)
      if (int64_t extent = merge.getSrcType().getDimSize(dim); extent != 1)
        extents.push_back(extent);
    if (extents.empty())
      extents.push_back(1);
  }
  return parts;
}

/// The dimensions of the result of `op`, which alone reads `merge`, in the
/// parts that this merges. Fails where there is nothing to part, or one that
/// would have to be is none of them.
static FailureOr<llvm::SmallVector<llvm::SmallVector<int64_t>>>
getResultParts(linalg::LinalgOp op, tensor::CollapseShapeOp merge) {
  AffineMap read = op.getMatchingIndexingMap(&*merge->use_begin());
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  llvm::SmallVector<llvm::SmallVector<int64_t>> dims;
  for (int64_t extent : getType(op->getResult(0)).getShape())
    dims.push_back({extent});
  bool hasSeveral = false;
  for (auto [parts, expr] :
       llvm::zip_equal(getParts(merge), read.getResults())) {
    if (parts.size() == 1)
      continue;
    std::optional<unsigned> dim = written.getResultPosition(expr);
    if (!dim)
      return failure();
    dims[*dim] = parts;
    hasSeveral = true;
  }
  if (!hasSeveral)
    return failure();
  return dims;
}

/// Makes what `value` is computed in the parts `dims` of its dimensions.
/// Whoever reads it reads the parts, merged; nothing changes where its producer
/// cannot.
static void partValue(Value value, ArrayRef<llvm::SmallVector<int64_t>> dims) {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<ReassociationIndices> groups;
  for (ArrayRef<int64_t> parts : dims) {
    ReassociationIndices &group = groups.emplace_back();
    for (int64_t extent : parts) {
      group.push_back(shape.size());
      shape.push_back(extent);
    }
  }
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  auto type = RankedTensorType::get(shape, getType(value).getElementType());
  auto expand =
      tensor::ExpandShapeOp::create(builder, loc, type, value, groups);
  auto merge = tensor::CollapseShapeOp::create(builder, loc, expand, groups);
  value.replaceAllUsesExcept(merge, expand);
  if (!expandProducer(builder, expand)) {
    merge.getResult().replaceAllUsesWith(value);
    merge.erase();
    expand.erase();
    return;
  }
  for (Operation *user : llvm::make_early_inc_range(merge->getUsers()))
    if (auto again = dyn_cast<tensor::ExpandShapeOp>(user);
        again && again.getType() == type) {
      again.replaceAllUsesWith(merge.getSrc());
      again.erase();
    }
  if (merge->use_empty())
    merge.erase();
}

void diffuse::partImageLoops(ArrayRef<Block *> blocks,
                             const WrittenPads &written) {
  // What is known of parameters holds while no op is erased.
  SymbolTableCollection symbols;
  ParameterValues parameters(symbols);
  llvm::SmallVector<MergedReader> readers;
  for (Block *block : blocks) {
    auto groups = groupOps(*block, written, parameters);
    MergeFinder(groups, parameters).run(readers);
  }
  // In the order of the results: what is parted is made anew together with
  // contractions before it that it is added to.
  for (auto [merge, result] : readers) {
    auto op = cast<linalg::LinalgOp>(*merge->user_begin());
    auto dims = getResultParts(op, merge);
    if (succeeded(dims))
      partValue(result, *dims);
    if (merge->use_empty())
      merge.erase();
  }
}
