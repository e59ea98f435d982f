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

/// A broadcast along outer dimensions that a transpose makes inner ones:
///
///   %b = vector.broadcast %v : vector<4xf32> to vector<16x4xf32>
///   %t = vector.transpose %b, [1, 0] : vector<16x4xf32> to vector<4x16xf32>
///
/// becomes a broadcast of 4x1 to 4x16. Upstream transposes it element by
/// element.
struct TransposeOfBroadcast : OpRewritePattern<vector::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransposeOp transpose,
                                PatternRewriter &rewriter) const override {
    auto broadcast = transpose.getVector().getDefiningOp<vector::BroadcastOp>();
    auto source =
        broadcast ? dyn_cast<VectorType>(broadcast.getSourceType()) : nullptr;
    VectorType type = transpose.getResultVectorType();
    if (!source || source.isScalable() || source.getRank() == 0)
      return failure();
    int64_t added = type.getRank() - source.getRank();
    SmallVector<int64_t> shape;
    int64_t last = -1;
    for (int64_t dim : transpose.getPermutation()) {
      shape.push_back(dim < added ? 1 : source.getDimSize(dim - added));
      if (dim >= added && dim < last)
        return failure();
      last = std::max(last, dim);
    }
    Value column = vector::ShapeCastOp::create(
        rewriter, transpose.getLoc(),
        VectorType::get(shape, type.getElementType()), broadcast.getSource());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(transpose, type, column);
    return success();
  }
};

/// A contraction whose left operand walks the result's innermost dimension, as
/// in A[k, n] * B[m, k] -> C[m, n], gets its operands swapped: outer products
/// are then rows of the result. Upstream makes columns of them and transposes.
struct RowsFromRight : OpRewritePattern<vector::ContractionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ContractionOp contract,
                                PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
    if (maps[2].getNumResults() == 0)
      return failure();
    AffineExpr row = maps[2].getResults().back();
    auto walksRow = [&](AffineMap map) {
      return llvm::is_contained(map.getResults(), row);
    };
    if (!walksRow(maps[0]) || walksRow(maps[1]))
      return failure();
    rewriter.replaceOpWithNewOp<vector::ContractionOp>(
        contract, contract.getRhs(), contract.getLhs(), contract.getAcc(),
        rewriter.getAffineMapArrayAttr({maps[1], maps[0], maps[2]}),
        contract.getIteratorTypes(), contract.getKind());
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
  if (failed(apply(function, [](RewritePatternSet &patterns) {
        patterns.add<RowsFromRight>(patterns.getContext());
      })))
    return failure();
  return apply(function, [](RewritePatternSet &patterns) {
    vector::populateVectorContractLoweringPatterns(
        patterns, vector::VectorContractLowering::OuterProduct);
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    // Before the pattern that would make a read along inner dimensions a
    // broadcast along outer ones and a transpose, element by element.
    patterns.add<BroadcastRead, TransposeOfBroadcast>(patterns.getContext(),
                                                      PatternBenefit(10));
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
