// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's conversions, each run only where there is something for it, so
// that a module of linalg pays nothing and other dialects are left alone.

#include "NormalizePatterns.h"
#include "OpKinds.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace diffuse;
using namespace mlir;

/// The ops of `function` that `accepts` holds for, those in the regions of an
/// op before the op itself.
static llvm::SmallVector<Operation *>
collectOps(func::FuncOp function,
           llvm::function_ref<bool(Operation *)> accepts) {
  llvm::SmallVector<Operation *> found;
  function.walk([&](Operation *op) {
    if (accepts(op))
      found.push_back(op);
  });
  return found;
}

static bool isTosa(Operation *op) {
  return isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
}

static LogicalResult convertTosa(func::FuncOp function) {
  if (collectOps(function, isTosa).empty())
    return success();
  PassManager passes(function.getContext(), func::FuncOp::getOperationName());
  // The conversions after it take no regions of TOSA.
  passes.addPass(createTosaToSCFPass());
  passes.addPass(tosa::createTosaOptionalDecompositionsPass());
  passes.addPass(tosa::createTosaMakeBroadcastablePass());
  passes.addPass(tosa::createTosaToLinalgNamed());
  passes.addPass(tosa::createTosaToLinalg());
  TosaToArithPassOptions options;
  options.includeApplyRescale = true;
  passes.addPass(createTosaToArithPass(options));
  passes.addPass(createTosaToTensorPass());
  if (failed(passes.run(function)))
    return failure();
  for (Operation *op : llvm::reverse(collectOps(function, isTosa)))
    if (isOpTriviallyDead(op))
      op->erase();
  return success();
}

static bool isElementwiseOnTensors(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() &&
         llvm::any_of(op->getResultTypes(),
                      [](Type type) { return isa<RankedTensorType>(type); });
}

static void convertElementwise(func::FuncOp function) {
  auto ops = collectOps(function, isElementwiseOnTensors);
  if (ops.empty())
    return;
  RewritePatternSet patterns(function.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  (void)applyOpPatternsGreedily(
      ops, std::move(patterns),
      GreedyRewriteConfig().enableFolding(false).setStrictness(
          GreedyRewriteStrictness::ExistingOps));
}

static void decomposeSoftmax(func::FuncOp function, IRRewriter &rewriter) {
  for (Operation *op : collectOps(function, [](Operation *op) {
         return isa<linalg::SoftmaxOp>(op);
       })) {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    if (!softmax.hasPureTensorSemantics())
      continue;
    rewriter.setInsertionPoint(op);
    FailureOr<llvm::SmallVector<Value>> results =
        softmax.decomposeOperation(rewriter);
    if (succeeded(results))
      rewriter.replaceOp(op, *results);
  }
}

static void convertSplats(func::FuncOp function, IRRewriter &rewriter) {
  for (Operation *op : collectOps(
           function, [](Operation *op) { return isa<tensor::SplatOp>(op); })) {
    auto splat = cast<tensor::SplatOp>(op);
    rewriter.setInsertionPoint(op);
    Value empty = tensor::EmptyOp::create(
        rewriter, op->getLoc(), splat.getType(), splat.getDynamicSizes());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, splat.getInput(), empty);
  }
}

/// Convolutions and poolings keep their names: sketches find them by it.
static bool keepsName(Operation *op) {
  return isa<linalg::GenericOp, linalg::FillOp, linalg::ConvolutionOpInterface>(
      op);
}

static void generalizeNamed(func::FuncOp function, IRRewriter &rewriter) {
  for (Operation *op : collectOps(function, [](Operation *op) {
         return isa<linalg::LinalgOp>(op) && !keepsName(op) && isOutlinable(op);
       })) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
  }
}

/// Tensors that a body holds as constants are operands of its op: parameters
/// are passed to a subgraph, never part of its code.
static void hoistTensorConstants(func::FuncOp function) {
  for (Operation *op : collectOps(function, isOutlinable))
    op->walk([&](Operation *inner) {
      auto type =
          inner->getNumResults() == 1
              ? dyn_cast<RankedTensorType>(inner->getResult(0).getType())
              : RankedTensorType();
      if (inner != op && type && type.getRank() > 0 &&
          inner->hasTrait<OpTrait::ConstantLike>())
        inner->moveBefore(op);
    });
}

LogicalResult diffuse::convertToLinalg(func::FuncOp function) {
  if (failed(convertTosa(function)))
    return failure();
  cropNegativePads(function);
  convertElementwise(function);
  IRRewriter rewriter(function.getContext());
  decomposeSoftmax(function, rewriter);
  convertSplats(function, rewriter);
  generalizeNamed(function, rewriter);
  hoistTensorConstants(function);
  return success();
}
