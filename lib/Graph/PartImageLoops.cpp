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

#include "PartImageLoops.h"

#include "Diffuse/Analysis/DimRoles.h"
#include "Diffuse/Analysis/Work.h"
#include "ExpandLoops.h"
#include "OpKinds.h"
#include "ParameterValues.h"
#include "TensorTypes.h"

using namespace diffuse;
using namespace mlir;

/// The only user of `value`, which uses it once, or null.
static Operation *getOnlyUser(Value value) {
  return value.hasOneUse() ? *value.user_begin() : nullptr;
}

/// `user` reads `value` in its own loop order, elementwise.
static bool isElementwiseReader(Operation *user, Value value) {
  if (!user || !isElementwiseOp(user) || !isOutlinable(user) ||
      user->getBlock() != value.getParentBlock() || user->getNumResults() != 1)
    return false;
  auto op = cast<linalg::LinalgOp>(user);
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() != value ||
           (!op.isDpsInit(&operand) &&
            op.getMatchingIndexingMap(&operand).isIdentity());
  });
}

/// What the elementwise ops behind `value` make of it, none of which has
/// another reader.
static Value followElementwise(Value value) {
  while (Operation *user = getOnlyUser(value)) {
    if (!isElementwiseReader(user, value))
      break;
    value = user->getResult(0);
  }
  return value;
}

/// The reshape that merges dimensions of more than one element of what
/// `depthwise` computes, for one reader alone, or null.
static tensor::CollapseShapeOp findMerge(Operation *depthwise,
                                         ParameterValues &parameters) {
  Value value = followElementwise(depthwise->getResult(0));
  auto merge = dyn_cast_or_null<tensor::CollapseShapeOp>(getOnlyUser(value));
  if (!merge || merge->getBlock() != depthwise->getBlock() ||
      !merge->hasOneUse() || !getType(value).hasStaticShape() ||
      parameters.contains(value))
    return nullptr;
  return merge;
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

/// The dimensions of the result of `op`, in the parts that its operand
/// `merged` was merged of; fails where none has several.
static FailureOr<llvm::SmallVector<llvm::SmallVector<int64_t>>>
getResultParts(linalg::LinalgOp op, OpOperand &operand,
               tensor::CollapseShapeOp merge) {
  auto parts = getParts(merge);
  AffineMap read = op.getMatchingIndexingMap(&operand);
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  llvm::SmallVector<llvm::SmallVector<int64_t>> dims;
  bool hasSeveral = false;
  for (auto [dim, expr] : llvm::enumerate(written.getResults())) {
    std::optional<unsigned> found = read.getResultPosition(expr);
    if (found)
      dims.push_back(parts[*found]);
    else
      dims.push_back({getType(op->getResult(0)).getDimSize(dim)});
    hasSeveral |= dims.back().size() > 1;
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

static void partReader(tensor::CollapseShapeOp merge) {
  OpOperand &operand = *merge->use_begin();
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!op || op->getBlock() != merge->getBlock() || op.isDpsInit(&operand) ||
      failed(inferContractionRoles(op)))
    return;
  auto dims = getResultParts(op, operand, merge);
  Value value = followElementwise(op->getResult(0));
  // A pad that its producer shall write wants the value as it is.
  bool isPadded = llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<tensor::PadOp>(user);
  });
  if (succeeded(dims) && !isPadded)
    partValue(value, *dims);
}

void diffuse::partImageLoops(ArrayRef<Block *> blocks, double cachedBytes) {
  // What is known of parameters holds while no op is erased.
  SymbolTableCollection symbols;
  ParameterValues parameters(symbols);
  llvm::SmallVector<tensor::CollapseShapeOp> merges;
  for (Block *block : blocks)
    for (Operation &op : *block)
      if (isReduction(&op) && isOutlinable(&op) &&
          inferDimRoles(&op).kind == AnchorKind::DepthwiseConvolution)
        if (tensor::CollapseShapeOp merge = findMerge(&op, parameters))
          if (countBytes(merge.getType()) > cachedBytes)
            merges.push_back(merge);
  for (tensor::CollapseShapeOp merge : merges) {
    // Its reader may have been parted with another that it is joined to.
    if (merge->hasOneUse())
      partReader(merge);
    if (merge->use_empty())
      merge.erase();
  }
}
