// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sets of patterns are applied one after the other as in schedules that
// were measured: several of them in one set need not terminate.

#include "LowerVectors.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {
/// A read whose result does not vary along its innermost dimensions becomes a
/// read of what varies and a broadcast:
///
///   %v = vector.transfer_read %m[%i, %j], %p
///          {permutation_map = (d0, d1) -> (d0, 0)} : vector<4x16xf32>
///
/// becomes a read of vector<4xf32>, expanded to 4x1 and broadcast. Upstream
/// turns it into a loop of scalar insertions.
struct BroadcastRead : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    AffineMap map = read.getPermutationMap();
    VectorType type = read.getVectorType();
    auto isBroadcast = [&](unsigned dim) {
      return isa<AffineConstantExpr>(map.getResult(dim));
    };
    unsigned rank = type.getRank();
    if (read.getMask() || rank == 0 || !isBroadcast(rank - 1))
      return failure();
    unsigned kept = rank;
    while (kept && isBroadcast(kept - 1))
      --kept;
    if (kept == 0)
      return rewriteAsScalar(read, rewriter);

    SmallVector<bool> inBounds(read.getInBoundsValues());
    inBounds.resize(kept);
    auto outer = VectorType::get(type.getShape().take_front(kept),
                                 type.getElementType());
    AffineMap outerMap =
        AffineMap::get(map.getNumDims(), 0, map.getResults().take_front(kept),
                       map.getContext());
    Location loc = read.getLoc();
    Value part = vector::TransferReadOp::create(
        rewriter, loc, outer, read.getBase(), read.getIndices(),
        read.getPadding(), outerMap, ArrayRef<bool>(inBounds));
    SmallVector<int64_t> shape(outer.getShape());
    shape.resize(rank, 1);
    Value column = vector::ShapeCastOp::create(
        rewriter, loc, VectorType::get(shape, type.getElementType()), part);
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(read, type, column);
    return success();
  }

private:
  static LogicalResult rewriteAsScalar(vector::TransferReadOp read,
                                       PatternRewriter &rewriter) {
    if (!isa<MemRefType>(read.getBase().getType()))
      return failure();
    Value scalar = memref::LoadOp::create(rewriter, read.getLoc(),
                                          read.getBase(), read.getIndices());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(read, read.getVectorType(),
                                                     scalar);
    return success();
  }
};
} // namespace

using Populate = llvm::function_ref<void(RewritePatternSet &)>;

static LogicalResult apply(func::FuncOp function, Populate populate) {
  RewritePatternSet patterns(function.getContext());
  populate(patterns);
  return applyPatternsGreedily(function, std::move(patterns));
}

static LogicalResult lowerContractions(func::FuncOp function) {
  return apply(function, [](RewritePatternSet &patterns) {
    vector::populateVectorContractLoweringPatterns(
        patterns, vector::VectorContractLowering::OuterProduct);
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    vector::populateVectorMultiReductionLoweringPatterns(
        patterns, vector::VectorMultiReductionLowering::InnerParallel);
  });
}

static LogicalResult lowerTransfers(func::FuncOp function) {
  auto toLoops = [](RewritePatternSet &patterns) {
    VectorTransferToSCFOptions options;
    options.enableFullUnroll();
    options.setTargetRank(1);
    populateVectorToSCFConversionPatterns(patterns, options);
    patterns.add<BroadcastRead>(patterns.getContext(), PatternBenefit(10));
  };
  auto toLoads = [](RewritePatternSet &patterns) {
    vector::populateVectorTransferLoweringPatterns(patterns,
                                                   /*maxTransferRank=*/1);
  };
  return success(succeeded(apply(function, toLoops)) &&
                 succeeded(apply(function, toLoads)));
}

static LogicalResult lowerMovements(func::FuncOp function) {
  return apply(function, [](RewritePatternSet &patterns) {
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorMaskOpLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle1D);
  });
}

static bool hasVectors(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa_and_nonnull<vector::VectorDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult diffuse::lowerVectors(func::FuncOp function) {
  if (!hasVectors(function))
    return success();
  if (failed(lowerContractions(function)) ||
      failed(apply(function,
                   [](RewritePatternSet &patterns) {
                     vector::populateVectorOuterProductLoweringPatterns(
                         patterns);
                   })) ||
      failed(lowerTransfers(function)))
    return failure();
  return lowerMovements(function);
}
