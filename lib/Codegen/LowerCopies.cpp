// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerCopies.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;

static bool isContiguous(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref::isStaticShapeAndContiguousRowMajor(memref);
}

/// Upstream copies these by memcpy without help.
static bool becomesMemcpy(memref::CopyOp copy) {
  auto isSimple = [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && (memref.getLayout().isIdentity() || isContiguous(type));
  };
  return isSimple(copy.getSource().getType()) &&
         isSimple(copy.getTarget().getType());
}

void diffuse::lowerStridedCopies(ModuleOp module) {
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp copy) {
    if (isa<MemRefType>(copy.getSource().getType()) &&
        isa<MemRefType>(copy.getTarget().getType()) && !becomesMemcpy(copy))
      copies.push_back(copy);
  });
  for (memref::CopyOp copy : copies) {
    OpBuilder builder(copy);
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  }
}

static bool hasAmbiguousGroup(memref::ExpandShapeOp expand) {
  auto type = expand.getResultType();
  return llvm::any_of(expand.getReassociationIndices(),
                      [&](const ReassociationIndices &group) {
                        return llvm::count_if(group, [&](int64_t dim) {
                                 return type.isDynamicDim(dim);
                               }) > 1;
                      });
}

/// Strides of the expanded dimensions: the innermost of a group has the
/// source's, each other one the extent times the stride inside of it.
static SmallVector<OpFoldResult> expandedStrides(OpBuilder &builder,
                                                 memref::ExpandShapeOp expand,
                                                 ArrayRef<OpFoldResult> sizes,
                                                 ValueRange sourceStrides) {
  SmallVector<OpFoldResult> strides(sizes.size());
  auto groups = expand.getReassociationIndices();
  AffineExpr product =
      builder.getAffineSymbolExpr(0) * builder.getAffineSymbolExpr(1);
  for (auto [group, sourceStride] : llvm::zip(groups, sourceStrides)) {
    OpFoldResult stride = sourceStride;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = stride;
      stride = affine::makeComposedFoldedAffineApply(
          builder, expand.getLoc(), product, {stride, sizes[dim]});
    }
  }
  return strides;
}

void diffuse::lowerDynamicExpandShapes(ModuleOp module) {
  SmallVector<memref::ExpandShapeOp> expands;
  module.walk([&](memref::ExpandShapeOp expand) {
    if (hasAmbiguousGroup(expand))
      expands.push_back(expand);
  });
  for (memref::ExpandShapeOp expand : expands) {
    OpBuilder builder(expand);
    Location loc = expand.getLoc();
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, expand.getSrc());
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    SmallVector<OpFoldResult> strides =
        expandedStrides(builder, expand, sizes, metadata.getStrides());
    // The result's type says which strides it knows; the others stay values.
    MemRefType type = expand.getResultType();
    auto [known, offset] = type.getStridesAndOffset();
    for (auto [stride, constant] : llvm::zip(strides, known))
      stride = ShapedType::isDynamic(constant)
                   ? OpFoldResult(
                         getValueOrCreateConstantIndexOp(builder, loc, stride))
                   : OpFoldResult(builder.getIndexAttr(constant));
    OpFoldResult start = ShapedType::isDynamic(offset)
                             ? OpFoldResult(metadata.getOffset())
                             : OpFoldResult(builder.getIndexAttr(offset));
    Value cast = memref::ReinterpretCastOp::create(
        builder, loc, type, metadata.getBaseBuffer(), start, sizes, strides);
    expand.replaceAllUsesWith(cast);
    expand.erase();
  }
}
