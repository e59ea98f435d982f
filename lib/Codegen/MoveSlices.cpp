// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is new stands right behind the op that it is a part of, so that whoever
// asks for the same part again, further down, finds it there.

#include "MoveSlices.h"

#include "Diffuse/Analysis/ScatteredAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"

#include <map>

using namespace mlir;
using namespace diffuse;
using tensor::ExtractSliceOp;

namespace {
/// Which part of which value.
struct Part {
  Value source;
  SmallVector<int64_t> offsets, sizes;
  bool operator<(const Part &other) const {
    return std::make_tuple(source.getAsOpaquePointer(), offsets, sizes) <
           std::make_tuple(other.source.getAsOpaquePointer(), other.offsets,
                           other.sizes);
  }
};

/// Moves slices up, those that it makes included.
class SliceMover : public RewriterBase::Listener {
public:
  explicit SliceMover(MLIRContext *context) : rewriter(context, this) {}
  void run(ArrayRef<ExtractSliceOp> slices);

private:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (auto slice = dyn_cast<ExtractSliceOp>(op))
      pending.push_back(slice);
  }
  void notifyOperationReplaced(Operation *op, ValueRange values) override;
  void notifyOperationErased(Operation *op) override;

  Value slice(Location loc, Value source, ArrayRef<int64_t> offsets,
              ArrayRef<int64_t> sizes);
  /// The value of the slice by other means; none where it has to stay.
  Value compute(ExtractSliceOp slice);
  Value sliceOf(TilingInterface op, ExtractSliceOp slice);
  Value sliceOf(ExtractSliceOp inner, ExtractSliceOp slice);
  Value sliceOf(tensor::InsertSliceOp insert, ExtractSliceOp slice);
  Value sliceOf(tensor::ExpandShapeOp expand, ExtractSliceOp slice);
  Value sliceOf(tensor::CollapseShapeOp collapse, ExtractSliceOp slice);

  IRRewriter rewriter;
  SmallVector<ExtractSliceOp> pending;
  std::map<Part, Value> known;
};
} // namespace

void SliceMover::notifyOperationReplaced(Operation *op, ValueRange values) {
  for (auto &[part, value] : known)
    if (value.getDefiningOp() == op)
      value = values[cast<OpResult>(value).getResultNumber()];
}

/// A value that is made later may lie at the same address.
void SliceMover::notifyOperationErased(Operation *op) {
  llvm::erase_if(pending, [&](ExtractSliceOp slice) { return slice == op; });
  for (auto it = known.begin(); it != known.end();)
    it = it->first.source.getDefiningOp() == op ? known.erase(it)
                                                : std::next(it);
}

static SmallVector<OpFoldResult> fold(OpBuilder &builder,
                                      ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(builder.getContext(), values);
}

static SmallVector<OpFoldResult> ones(OpBuilder &builder, size_t rank) {
  return SmallVector<OpFoldResult>(rank, builder.getIndexAttr(1));
}

Value SliceMover::slice(Location loc, Value source, ArrayRef<int64_t> offsets,
                        ArrayRef<int64_t> sizes) {
  if (cast<RankedTensorType>(source.getType()).getShape() == sizes)
    return source;
  return ExtractSliceOp::create(rewriter, loc, source, fold(rewriter, offsets),
                                fold(rewriter, sizes),
                                ones(rewriter, sizes.size()));
}

/// Whether offsets and sizes are numbers, strides are 1 and no dimension goes.
static bool isBox(ExtractSliceOp slice) {
  return slice.hasUnitStride() && slice.getType().hasStaticShape() &&
         slice.getSourceType().getRank() == slice.getType().getRank() &&
         !llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic) &&
         !llvm::any_of(slice.getStaticSizes(), ShapedType::isDynamic);
}

//===-- a slice of each kind of op ----------------------------------------===//

Value SliceMover::sliceOf(TilingInterface op, ExtractSliceOp slice) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation()))
    if (hasScatteredAccess(linalgOp))
      return {};
  unsigned number = cast<OpResult>(slice.getSource()).getResultNumber();
  FailureOr<TilingResult> tiled = op.generateResultTileValue(
      rewriter, number, slice.getMixedOffsets(), slice.getMixedSizes());
  if (failed(tiled) || tiled->tiledValues.size() != 1)
    return {};
  return tiled->tiledValues.front();
}

Value SliceMover::sliceOf(ExtractSliceOp inner, ExtractSliceOp slice) {
  if (!isBox(inner))
    return {};
  SmallVector<int64_t> offsets;
  for (auto [first, second] :
       llvm::zip_equal(inner.getStaticOffsets(), slice.getStaticOffsets()))
    offsets.push_back(first + second);
  return this->slice(slice.getLoc(), inner.getSource(), offsets,
                     slice.getStaticSizes());
}

/// A slice that both hold: parts of the source over parts of what it covers.
Value SliceMover::sliceOf(tensor::InsertSliceOp insert, ExtractSliceOp slice) {
  if (!insert.hasUnitStride() ||
      insert.getSourceType().getRank() != insert.getType().getRank() ||
      !insert.getSourceType().hasStaticShape() ||
      llvm::any_of(insert.getStaticOffsets(), ShapedType::isDynamic))
    return {};
  SmallVector<int64_t> inSource, inSlice, sizes;
  for (auto [from, size, start, extent] : llvm::zip_equal(
           slice.getStaticOffsets(), slice.getStaticSizes(),
           insert.getStaticOffsets(), insert.getSourceType().getShape())) {
    int64_t low = std::max(from, start);
    int64_t high = std::min(from + size, start + extent);
    if (low >= high)
      return this->slice(slice.getLoc(), insert.getDest(),
                         slice.getStaticOffsets(), slice.getStaticSizes());
    inSource.push_back(low - start);
    inSlice.push_back(low - from);
    sizes.push_back(high - low);
  }
  Value source =
      this->slice(slice.getLoc(), insert.getSource(), inSource, sizes);
  if (llvm::equal(sizes, slice.getStaticSizes()))
    return source;
  Value below = this->slice(slice.getLoc(), insert.getDest(),
                            slice.getStaticOffsets(), slice.getStaticSizes());
  return tensor::InsertSliceOp::create(
      rewriter, slice.getLoc(), source, below, fold(rewriter, inSlice),
      fold(rewriter, sizes), ones(rewriter, sizes.size()));
}

/// The indices of a box, one for each group of dimensions; false where those
/// of a group do not follow one another.
static bool joinDims(ArrayRef<ReassociationIndices> groups,
                     ArrayRef<int64_t> extents, ExtractSliceOp slice,
                     SmallVectorImpl<int64_t> &offsets,
                     SmallVectorImpl<int64_t> &sizes) {
  for (const ReassociationIndices &group : groups) {
    int64_t offset = 0, size = 1;
    for (int64_t dim : group) {
      if (size != 1 && slice.getStaticSize(dim) != extents[dim])
        return false;
      offset = offset * extents[dim] + slice.getStaticOffset(dim);
      size *= slice.getStaticSize(dim);
    }
    offsets.push_back(offset);
    sizes.push_back(size);
  }
  return true;
}

/// The box whose indices these are; false where they are no box.
static bool splitDims(ArrayRef<ReassociationIndices> groups,
                      ArrayRef<int64_t> extents, ExtractSliceOp slice,
                      SmallVectorImpl<int64_t> &offsets,
                      SmallVectorImpl<int64_t> &sizes) {
  offsets.resize(extents.size());
  sizes.resize(extents.size());
  for (auto [joined, group] : llvm::enumerate(groups)) {
    int64_t offset = slice.getStaticOffset(joined);
    int64_t size = slice.getStaticSize(joined);
    for (int64_t dim : llvm::reverse(group)) {
      offsets[dim] = offset % extents[dim];
      bool isWhole = offsets[dim] == 0 && size % extents[dim] == 0;
      sizes[dim] = isWhole ? extents[dim] : size;
      if (offsets[dim] + sizes[dim] > extents[dim])
        return false;
      offset /= extents[dim];
      size = isWhole ? size / extents[dim] : 1;
    }
  }
  return true;
}

Value SliceMover::sliceOf(tensor::ExpandShapeOp expand, ExtractSliceOp slice) {
  SmallVector<int64_t> offsets, sizes;
  if (!joinDims(expand.getReassociationIndices(), expand.getType().getShape(),
                slice, offsets, sizes))
    return {};
  return tensor::ExpandShapeOp::create(
      rewriter, slice.getLoc(), slice.getType(),
      this->slice(slice.getLoc(), expand.getSrc(), offsets, sizes),
      expand.getReassociationIndices());
}

Value SliceMover::sliceOf(tensor::CollapseShapeOp collapse,
                          ExtractSliceOp slice) {
  SmallVector<int64_t> offsets, sizes;
  if (!splitDims(collapse.getReassociationIndices(),
                 collapse.getSrcType().getShape(), slice, offsets, sizes))
    return {};
  return tensor::CollapseShapeOp::create(
      rewriter, slice.getLoc(), slice.getType(),
      this->slice(slice.getLoc(), collapse.getSrc(), offsets, sizes),
      collapse.getReassociationIndices());
}

//===-- all slices --------------------------------------------------------===//

Value SliceMover::compute(ExtractSliceOp slice) {
  Operation *op = slice.getSource().getDefiningOp();
  if (!op || !isBox(slice))
    return {};
  if (slice.getType() == slice.getSourceType())
    return slice.getSource();
  rewriter.setInsertionPointAfter(op);
  if (isa<tensor::EmptyOp>(op))
    return tensor::EmptyOp::create(rewriter, slice.getLoc(),
                                   slice.getType().getShape(),
                                   slice.getType().getElementType());
  if (auto inner = dyn_cast<ExtractSliceOp>(op))
    return sliceOf(inner, slice);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return sliceOf(insert, slice);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return sliceOf(expand, slice);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return sliceOf(collapse, slice);
  if (auto tilable = dyn_cast<TilingInterface>(op))
    return sliceOf(tilable, slice);
  return {};
}

void SliceMover::run(ArrayRef<ExtractSliceOp> slices) {
  pending.assign(slices.begin(), slices.end());
  while (!pending.empty()) {
    ExtractSliceOp slice = pending.pop_back_val();
    Part part{slice.getSource(), SmallVector<int64_t>(slice.getStaticOffsets()),
              SmallVector<int64_t>(slice.getStaticSizes())};
    bool mayShare = isBox(slice);
    auto found = mayShare ? known.find(part) : known.end();
    Value value = found != known.end() ? found->second : compute(slice);
    if (!value)
      continue;
    if (value.getType() != slice.getType()) {
      rewriter.setInsertionPointAfterValue(value);
      value = tensor::CastOp::create(rewriter, slice.getLoc(), slice.getType(),
                                     value);
    }
    if (mayShare)
      known[part] = value;
    rewriter.replaceOp(slice, value);
  }
}

void diffuse::moveSlicesUp(ArrayRef<ExtractSliceOp> slices) {
  if (!slices.empty())
    SliceMover(slices.front()->getContext()).run(slices);
}
