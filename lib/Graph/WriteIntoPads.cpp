// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %v = relu ...                       %v = relu ...
//   %p = pad %v;  %c = conv %p     ->   %p = pad %v;  %c = conv %p
//   %s = add %c, %v                     %i = extract_slice %p[interior]
//                                       %s = add %c, %i
//
// What was the copy of an image before each convolution becomes the border
// alone: the group that computes %v writes it where %p wants it.
//
// This comes after normalization, not in it: merged loops over an image cannot
// leave out its border, so here they are parted again.

#include "WriteIntoPads.h"

#include "ExpandLoops.h"
#include "OpKinds.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace diffuse;
using namespace mlir;

/// On a pad that was chosen and on slices of it, until they are outlined.
static constexpr llvm::StringLiteral kChosen = "diffuse.written_into";

/// A padded tensor is at most so many times as large as what it pads.
static constexpr int64_t kMostGrowth = 4;

bool diffuse::endsGroup(Operation *op) {
  return isa<tensor::PadOp>(op) && op->hasAttr(kChosen);
}

bool diffuse::isInterior(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && slice->hasAttr(kChosen);
}

/// By numbers on each side, with a constant, and not by too much.
static bool isPlainPad(tensor::PadOp pad) {
  RankedTensorType from = pad.getSourceType(), to = pad.getResultType();
  Value fill = pad.getConstantPaddingValue();
  return from.hasStaticShape() && to.hasStaticShape() && from != to && fill &&
         matchPattern(fill, m_Constant()) && pad.getLow().empty() &&
         pad.getHigh().empty() && isOutlinable(pad) &&
         llvm::all_of(pad.getStaticLow(), [](int64_t n) { return n >= 0; }) &&
         llvm::all_of(pad.getStaticHigh(), [](int64_t n) { return n >= 0; }) &&
         to.getNumElements() <= kMostGrowth * from.getNumElements();
}

static bool areEqual(tensor::PadOp a, tensor::PadOp b) {
  Attribute fillOfA, fillOfB;
  matchPattern(a.getConstantPaddingValue(), m_Constant(&fillOfA));
  matchPattern(b.getConstantPaddingValue(), m_Constant(&fillOfB));
  return a.getResultType() == b.getResultType() &&
         a.getStaticLow() == b.getStaticLow() && fillOfA == fillOfB;
}

/// Some op that is going to be in a subgraph reads it.
static bool isRead(tensor::PadOp pad) {
  return llvm::any_of(pad->getUsers(),
                      [](Operation *user) { return isOutlinable(user); });
}

namespace {
/// Pads of one value that are equal.
using Pads = llvm::SmallVector<tensor::PadOp, 1>;
} // namespace

static unsigned countReaders(const Pads &pads) {
  unsigned count = 0;
  for (tensor::PadOp pad : pads)
    count += llvm::range_size(pad->getUses());
  return count;
}

/// The pads of `value` to write into; none where a reader of it is in no
/// subgraph: it would have to be given a copy.
static Pads choosePads(Value value) {
  llvm::SmallVector<Pads> classes;
  Block *block = value.getParentBlock();
  for (Operation *user : value.getUsers()) {
    if (!isOutlinable(user))
      return {};
    auto pad = dyn_cast<tensor::PadOp>(user);
    if (!pad || pad->getBlock() != block || !isPlainPad(pad))
      continue;
    auto *equal = llvm::find_if(
        classes, [&](const Pads &pads) { return areEqual(pads[0], pad); });
    if (equal == classes.end())
      classes.push_back({pad});
    else
      equal->push_back(pad);
  }
  Pads best;
  for (const Pads &pads : classes)
    if (llvm::any_of(pads, isRead) && countReaders(pads) > countReaders(best))
      best = pads;
  return best;
}

/// A group that returns `value` alone is going to compute it.
static bool isComputed(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && op->getNumResults() == 1 && isOutlinable(op) &&
         !isCheapInit(op) && !isParameterValue(value);
}

/// One pad in the place of `pads`, right behind what it pads.
static tensor::PadOp mergePads(OpBuilder &builder, const Pads &pads) {
  tensor::PadOp first = pads.front();
  builder.setInsertionPointAfterValue(first.getSource());
  Value fill = builder.clone(*first.getConstantPaddingValue().getDefiningOp())
                   ->getResult(0);
  auto bounds = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  };
  auto merged = tensor::PadOp::create(
      builder, first.getLoc(), first.getResultType(), first.getSource(),
      bounds(first.getStaticLow()), bounds(first.getStaticHigh()), fill,
      first.getNofold());
  merged->setAttr(kChosen, builder.getUnitAttr());
  for (tensor::PadOp pad : pads) {
    pad.replaceAllUsesWith(merged.getResult());
    pad.erase();
  }
  return merged;
}

tensor::ExtractSliceOp diffuse::sliceInterior(OpBuilder &builder,
                                              tensor::PadOp pad, Value padded) {
  RankedTensorType type = pad.getSourceType();
  llvm::SmallVector<OpFoldResult> strides(type.getRank(),
                                          builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      builder, pad.getLoc(), type, padded, pad.getMixedLowPad(),
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()), strides);
}

/// Whoever else reads what `pad` pads reads its interior.
static void readInterior(OpBuilder &builder, tensor::PadOp pad) {
  Value value = pad.getSource();
  if (value.hasOneUse())
    return;
  builder.setInsertionPointAfter(pad);
  auto slice = sliceInterior(builder, pad, pad.getResult());
  slice->setAttr(kChosen, builder.getUnitAttr());
  value.replaceAllUsesExcept(slice, pad);
}

void diffuse::writeIntoPads(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  llvm::SetVector<tensor::ExpandShapeOp> expands;
  function.walk([&](tensor::PadOp pad) {
    if (auto expand = pad.getSource().getDefiningOp<tensor::ExpandShapeOp>())
      if (!choosePads(expand.getResult()).empty())
        expands.insert(expand);
  });
  for (tensor::ExpandShapeOp expand : expands)
    expandProducer(builder, expand);
  llvm::SetVector<Value> padded;
  function.walk([&](tensor::PadOp pad) {
    if (isComputed(pad.getSource()))
      padded.insert(pad.getSource());
  });
  for (Value value : padded)
    if (Pads pads = choosePads(value); !pads.empty())
      readInterior(builder, mergePads(builder, pads));
}
