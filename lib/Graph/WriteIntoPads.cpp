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
#include "ParameterValues.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace diffuse;
using namespace mlir;

/// A padded tensor is at most so many times as large as what it pads.
static constexpr int64_t kMostGrowth = 4;

bool WrittenPads::isInterior(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && interiors.contains(op);
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

namespace {
/// Chooses and rewrites the pads of one function.
class PadWriter {
public:
  PadWriter(func::FuncOp function, ArrayRef<Block *> blocks)
      : function(function), blocks(blocks.begin(), blocks.end()),
        builder(function.getContext()) {}
  WrittenPads run();

private:
  bool isInSubgraph(Operation *op) const {
    return isOutlinable(op) && blocks.contains(op->getBlock());
  }
  bool isRead(tensor::PadOp pad) const;
  Pads choosePads(Value value) const;
  void expandPadded();
  llvm::SetVector<Value> collectPadded();
  tensor::PadOp mergePads(const Pads &pads);
  void readInterior(tensor::PadOp pad);

  func::FuncOp function;
  const llvm::DenseSet<Block *> blocks;
  OpBuilder builder;
  WrittenPads written;
};
} // namespace

/// Some op that is going to be in a subgraph reads it.
bool PadWriter::isRead(tensor::PadOp pad) const {
  return llvm::any_of(pad->getUsers(),
                      [&](Operation *user) { return isInSubgraph(user); });
}

/// The pads of `value` to write into; none where a reader of it is in no
/// subgraph: it would have to be given a copy.
Pads PadWriter::choosePads(Value value) const {
  llvm::SmallVector<Pads> classes;
  Block *block = value.getParentBlock();
  for (Operation *user : value.getUsers()) {
    if (!isInSubgraph(user))
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
    if (llvm::any_of(pads, [&](tensor::PadOp pad) { return isRead(pad); }) &&
        countReaders(pads) > countReaders(best))
      best = pads;
  return best;
}

/// One pad in the place of `pads`, right behind what it pads.
tensor::PadOp PadWriter::mergePads(const Pads &pads) {
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
  written.pads.insert(merged);
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
void PadWriter::readInterior(tensor::PadOp pad) {
  Value value = pad.getSource();
  if (value.hasOneUse())
    return;
  builder.setInsertionPointAfter(pad);
  auto slice = sliceInterior(builder, pad, pad.getResult());
  written.interiors.insert(slice);
  value.replaceAllUsesExcept(slice, pad);
}

/// Merged loops over an image that is padded are parted again.
void PadWriter::expandPadded() {
  llvm::SetVector<tensor::ExpandShapeOp> expands;
  function.walk([&](tensor::PadOp pad) {
    if (auto expand = pad.getSource().getDefiningOp<tensor::ExpandShapeOp>())
      if (!choosePads(expand.getResult()).empty())
        expands.insert(expand);
  });
  for (tensor::ExpandShapeOp expand : expands)
    expandProducer(builder, expand);
}

/// What is padded and is going to be computed by a group that returns it alone.
llvm::SetVector<Value> PadWriter::collectPadded() {
  SymbolTableCollection symbols;
  ParameterValues parameters(symbols);
  llvm::SetVector<Value> padded;
  function.walk([&](tensor::PadOp pad) {
    Value value = pad.getSource();
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    if (op && op->getNumResults() == 1 && isOutlinable(op) &&
        !isCheapInit(op) && !parameters.contains(value))
      padded.insert(value);
  });
  return padded;
}

WrittenPads PadWriter::run() {
  expandPadded();
  for (Value value : collectPadded())
    if (Pads pads = choosePads(value); !pads.empty())
      readInterior(mergePads(pads));
  return std::move(written);
}

WrittenPads diffuse::writeIntoPads(func::FuncOp function,
                                   ArrayRef<Block *> blocks) {
  return PadWriter(function, blocks).run();
}
