// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pad by a negative amount is a crop. Whatever handles pads takes amounts
// from zero on, upstream's lowering included, which writes past its buffer.
//
//   pad %x low[-1] high[2] : tensor<4xf32> to tensor<5xf32>
//     ->  %s = extract_slice %x[1] [3] [1];  pad %s low[0] high[2]

#include "NormalizePatterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// One dimension of a pad as a slice of what is padded, and its pad.
struct Crop {
  int64_t offset;
  OpFoldResult size, low, high;
};
} // namespace

/// Of a static extent: no more is cut off than is there, and what is cut beyond
/// that comes out of the pad on the other side.
static Crop cropStatic(Builder &builder, int64_t extent, int64_t low,
                       int64_t high) {
  int64_t result = extent + low + high;
  int64_t front = std::min(extent, std::max<int64_t>(-low, 0));
  int64_t back = std::min(extent - front, std::max<int64_t>(-high, 0));
  int64_t size = extent - front - back;
  int64_t before = std::min(std::max<int64_t>(low, 0), result - size);
  return {front, builder.getIndexAttr(size), builder.getIndexAttr(before),
          builder.getIndexAttr(result - size - before)};
}

/// Of an extent that is known at run time, which has to be as long as what is
/// cut off.
static Crop cropDynamic(OpBuilder &builder, Location loc, OpFoldResult extent,
                        OpFoldResult low, OpFoldResult high) {
  auto negative = [](OpFoldResult amount) {
    return std::max<int64_t>(-getConstantIntValue(amount).value_or(0), 0);
  };
  int64_t front = negative(low), back = negative(high);
  OpFoldResult size = affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineDimExpr(0) - front - back, {extent});
  auto zero = builder.getIndexAttr(0);
  return {front, size, front ? OpFoldResult(zero) : low,
          back ? OpFoldResult(zero) : high};
}

static bool isNegative(OpFoldResult amount) {
  std::optional<int64_t> constant = getConstantIntValue(amount);
  return constant && *constant < 0;
}

static void crop(tensor::PadOp pad, RewriterBase &rewriter) {
  Location loc = pad.getLoc();
  rewriter.setInsertionPoint(pad);
  llvm::SmallVector<OpFoldResult> lows = pad.getMixedLowPad(),
                                  highs = pad.getMixedHighPad();
  llvm::SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, pad.getSource());
  llvm::SmallVector<OpFoldResult> offsets, sizes,
      strides(extents.size(), rewriter.getIndexAttr(1));
  for (auto [extent, low, high] : llvm::zip_equal(extents, lows, highs)) {
    std::optional<int64_t> known = getConstantIntValue(extent),
                           front = getConstantIntValue(low),
                           back = getConstantIntValue(high);
    Crop found = known && front && back
                     ? cropStatic(rewriter, *known, *front, *back)
                     : cropDynamic(rewriter, loc, extent, low, high);
    offsets.push_back(rewriter.getIndexAttr(found.offset));
    sizes.push_back(found.size);
    low = found.low;
    high = found.high;
  }
  Value slice = tensor::ExtractSliceOp::create(rewriter, loc, pad.getSource(),
                                               offsets, sizes, strides);
  auto padded = tensor::PadOp::create(rewriter, loc, pad.getResultType(), slice,
                                      lows, highs, pad.getNofold());
  rewriter.inlineRegionBefore(pad.getRegion(), padded.getRegion(),
                              padded.getRegion().end());
  rewriter.replaceOp(pad, padded);
}

void diffuse::cropNegativePads(func::FuncOp function) {
  llvm::SmallVector<tensor::PadOp> found;
  function.walk([&](tensor::PadOp pad) {
    if (llvm::any_of(pad.getMixedLowPad(), isNegative) ||
        llvm::any_of(pad.getMixedHighPad(), isNegative))
      found.push_back(pad);
  });
  IRRewriter rewriter(function.getContext());
  for (tensor::PadOp pad : found)
    crop(pad, rewriter);
}
