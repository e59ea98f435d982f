// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %s = extract_slice %d[interior]        %b = fill each border of %d
//   %r = ... outs(%s)                      %s = extract_slice %b[interior]
//   %p = pad %r                        ->  %r = ... outs(%s)
//   materialize %p in %d                   %p = insert_slice %r into
//   %b[interior]
//                                          materialize %p in %d
//
// The interior goes back where it came from, so bufferization finds nothing to
// copy. Borders come first: whatever slices of the destination a schedule made
// are slices of what has its borders already.

#include "WriteBorders.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;

namespace {
/// A pad of `interior` by `fill`, in the rank of the destination.
struct WrittenPad {
  Value interior, fill;
  SmallVector<int64_t> low, high;
};
} // namespace

/// The value that `slice` differs from by dimensions of one element only.
static Value getWhole(tensor::ExtractSliceOp slice) {
  bool isWhole = slice && slice.hasUnitStride() && slice.hasZeroOffset() &&
                 slice.getStaticSizes() == slice.getSourceType().getShape();
  return isWhole ? slice.getSource() : Value();
}

/// The same where `insert` only gives its source more such dimensions.
static bool isWhole(tensor::InsertSliceOp insert) {
  return insert.hasUnitStride() && insert.hasZeroOffset() &&
         insert.getStaticSizes() == insert.getType().getShape();
}

static tensor::PadOp getStaticPad(Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  bool isKnown = pad && pad->hasOneUse() && pad.getLow().empty() &&
                 pad.getHigh().empty() &&
                 pad.getResultType().hasStaticShape() &&
                 pad.getSourceType().hasStaticShape();
  return isKnown ? pad : nullptr;
}

/// The pad that makes `value`. Schedules fold dimensions of one element out of
/// a pad too; here they are put back.
static std::optional<WrittenPad> getPad(Value value) {
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  if (insert && !isWhole(insert))
    return std::nullopt;
  tensor::PadOp pad = getStaticPad(insert ? insert.getSource() : value);
  Value fill = pad ? pad.getConstantPaddingValue() : Value();
  if (!fill || !matchPattern(fill, m_Constant()))
    return std::nullopt;
  WrittenPad written{pad.getSource(), fill, {}, {}};
  llvm::SmallBitVector dropped =
      insert ? insert.getDroppedDims()
             : llvm::SmallBitVector(pad.getResultType().getRank());
  if (dropped.any())
    written.interior =
        getWhole(pad.getSource().getDefiningOp<tensor::ExtractSliceOp>());
  if (!written.interior)
    return std::nullopt;
  unsigned next = 0;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    bool isGone = dropped.test(dim);
    written.low.push_back(isGone ? 0 : pad.getStaticLow()[next]);
    written.high.push_back(isGone ? 0 : pad.getStaticHigh()[next]);
    next += !isGone;
  }
  return written;
}

/// What `end` writes is a pad of what is written into slices of its
/// destination.
static std::optional<WrittenPad> getWrittenPad(MaterializeInDestinationOp end) {
  auto destination = dyn_cast<BlockArgument>(end.getDest());
  bool isSliced = destination && !destination.hasOneUse() &&
                  llvm::all_of(destination.getUsers(), [&](Operation *user) {
                    return user == end || isa<tensor::ExtractSliceOp>(user);
                  });
  std::optional<WrittenPad> pad;
  if (isSliced)
    pad = getPad(end.getSource());
  auto type = cast<RankedTensorType>(end.getDest().getType());
  bool fits =
      pad && cast<RankedTensorType>(pad->interior.getType()).getRank() ==
                 type.getRank();
  for (unsigned dim = 0; fits && dim < pad->low.size(); ++dim)
    fits = type.getDimSize(dim) ==
           pad->low[dim] + pad->high[dim] +
               cast<RankedTensorType>(pad->interior.getType()).getDimSize(dim);
  return fits ? pad : std::nullopt;
}

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

namespace {
/// Fills the borders of one destination.
class BorderWriter {
public:
  BorderWriter(const WrittenPad &pad, Value destination)
      : pad(pad), builder(destination.getContext()), written(destination) {
    builder.setInsertionPointToStart(destination.getParentBlock());
    fill = builder.clone(*pad.fill.getDefiningOp())->getResult(0);
    offsets.assign(pad.low.size(), 0);
    llvm::append_range(sizes, getShape(destination));
  }

  /// The destination with its borders. Each covers what is between those of the
  /// dimensions before, so no element is written twice.
  Value run() {
    for (unsigned dim = 0, e = sizes.size(); dim < e; ++dim) {
      int64_t inner = getShape(pad.interior)[dim];
      write(dim, 0, pad.low[dim]);
      write(dim, pad.low[dim] + inner, pad.high[dim]);
      offsets[dim] = pad.low[dim];
      sizes[dim] = inner;
    }
    return written;
  }

private:
  void write(unsigned dim, int64_t offset, int64_t size) {
    if (size == 0)
      return;
    SmallVector<int64_t> at = offsets, count = sizes;
    at[dim] = offset;
    count[dim] = size;
    Location loc = pad.interior.getLoc();
    SmallVector<OpFoldResult> start = fold(at), extent = fold(count);
    SmallVector<OpFoldResult> strides(at.size(), builder.getIndexAttr(1));
    Value border = tensor::ExtractSliceOp::create(builder, loc, written, start,
                                                  extent, strides);
    border = linalg::FillOp::create(builder, loc, fill, border).getResult(0);
    written = tensor::InsertSliceOp::create(builder, loc, border, written,
                                            start, extent, strides);
  }

  SmallVector<OpFoldResult> fold(ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  }

  const WrittenPad &pad;
  OpBuilder builder;
  Value written, fill;
  SmallVector<int64_t> offsets, sizes;
};
} // namespace

static void writeBordersOf(const WrittenPad &pad,
                           MaterializeInDestinationOp end) {
  Value destination = end.getDest();
  SmallVector<OpOperand *> slices;
  for (OpOperand &use : destination.getUses())
    if (use.getOwner() != end)
      slices.push_back(&use);
  Value bordered = BorderWriter(pad, destination).run();
  for (OpOperand *use : slices)
    use->set(bordered);
  OpBuilder builder(end);
  auto fold = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  };
  Value whole = tensor::InsertSliceOp::create(
      builder, end.getLoc(), pad.interior, bordered, fold(pad.low),
      fold(getShape(pad.interior)),
      fold(SmallVector<int64_t>(pad.low.size(), 1)));
  Operation *padded = end.getSource().getDefiningOp();
  end.getSourceMutable().assign(whole);
  // What a pad was folded into, from its end on.
  while (padded && isOpTriviallyDead(padded)) {
    Value source = padded->getOperand(0);
    padded->erase();
    padded = source == pad.interior ? nullptr : source.getDefiningOp();
  }
}

void diffuse::writeBorders(func::FuncOp function) {
  SmallVector<MaterializeInDestinationOp> ends;
  function.walk([&](MaterializeInDestinationOp end) { ends.push_back(end); });
  for (MaterializeInDestinationOp end : ends)
    if (std::optional<WrittenPad> pad = getWrittenPad(end))
      writeBordersOf(*pad, end);
}
