// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WholeRankWrites.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

/// The type with `count` dimensions of one element before its own.
static VectorType addLeadingOnes(VectorType type, int64_t count) {
  SmallVector<int64_t> shape(count, 1);
  SmallVector<bool> scalable(count, false);
  llvm::append_range(shape, type.getShape());
  llvm::append_range(scalable, type.getScalableDims());
  return VectorType::get(shape, type.getElementType(), scalable);
}

static bool isIdentity(ArrayRef<int64_t> permutation) {
  for (auto [index, value] : llvm::enumerate(permutation))
    if (value != static_cast<int64_t>(index))
      return false;
  return true;
}

/// Rewrites one write whose map is a projected permutation.
static void widen(vector::TransferWriteOp write) {
  OpBuilder builder(write);
  Location loc = write.getLoc();
  AffineMap map = write.getPermutationMap();
  int64_t rank = map.getNumDims();
  int64_t added = rank - map.getNumResults();
  // The tensor's dimension that each one of the vector walks.
  SmallVector<int64_t> walked;
  SmallVector<bool> inBounds(added, true);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!map.getResultPosition(builder.getAffineDimExpr(dim)))
      walked.push_back(dim);
  for (AffineExpr expression : map.getResults())
    walked.push_back(cast<AffineDimExpr>(expression).getPosition());
  llvm::append_range(inBounds, write.getInBoundsValues());

  Value vector = write.getVector();
  if (added > 0)
    vector = vector::ShapeCastOp::create(
        builder, loc, addLeadingOnes(write.getVectorType(), added), vector);
  SmallVector<int64_t> order = invertPermutationVector(walked);
  if (!isIdentity(order))
    vector = vector::TransposeOp::create(builder, loc, vector, order);
  SmallVector<bool> ordered(inBounds);
  for (auto [to, from] : llvm::enumerate(order))
    ordered[to] = inBounds[from];
  write.getValueToStoreMutable().assign(vector);
  write.setPermutationMap(builder.getMultiDimIdentityMap(rank));
  write.setInBoundsAttr(builder.getBoolArrayAttr(ordered));
}

void diffuse::writeWholeRanks(ModuleOp module) {
  module.walk([](vector::TransferWriteOp write) {
    if (isa<RankedTensorType>(write.getShapedType()) && !write.getMask() &&
        write.getVectorType().getRank() > 0 &&
        !write.getPermutationMap().isIdentity())
      widen(write);
  });
}

void diffuse::dropUnitRanks(ModuleOp module) {
  module.walk([](vector::TransferWriteOp write) {
    auto cast = write.getVector().getDefiningOp<vector::ShapeCastOp>();
    if (!cast || !isa<MemRefType>(write.getShapedType()) ||
        !write.getPermutationMap().isIdentity())
      return;
    VectorType source = cast.getSourceVectorType();
    int64_t added = write.getVectorType().getRank() - source.getRank();
    if (source.getRank() == 0 || added <= 0 ||
        addLeadingOnes(source, added) != write.getVectorType())
      return;
    SmallVector<bool> inBounds(write.getInBoundsValues());
    if (!llvm::all_of(ArrayRef(inBounds).take_front(added),
                      [](bool value) { return value; }))
      return;
    Builder builder(write.getContext());
    AffineMap map = write.getPermutationMap();
    write.getValueToStoreMutable().assign(cast.getSource());
    write.setPermutationMap(map.getMinorSubMap(source.getRank()));
    write.setInBoundsAttr(
        builder.getBoolArrayAttr(ArrayRef(inBounds).drop_front(added)));
    if (cast->use_empty())
      cast->erase();
  });
}
