// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each step looks first whether it has work: most subgraphs need none of them,
// and a candidate is compiled in tens of milliseconds.

#include "Diffuse/Codegen/DecomposeOps.h"
#include "RunPasses.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

template <typename... Ops> static bool contains(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<Ops...>(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool containsTosa(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static LogicalResult lowerTosa(ModuleOp module) {
  if (!containsTosa(module))
    return success();
  return diffuse::runPasses(module, [](OpPassManager &pm) {
    pm.addNestedPass<func::FuncOp>(createTosaToSCFPass());
    tosa::addTosaToLinalgPasses(pm, TosaToLinalgOptions(),
                                TosaToLinalgNamedOptions(),
                                /*validationOptions=*/std::nullopt);
    TosaToArithPassOptions arith;
    arith.includeApplyRescale = true;
    pm.addNestedPass<func::FuncOp>(createTosaToArithPass(arith));
    pm.addNestedPass<func::FuncOp>(createTosaToTensorPass());
  });
}

static LogicalResult lowerElementwise(ModuleOp module) {
  bool found = module
                   .walk([](Operation *op) {
                     return OpTrait::hasElementwiseMappableTraits(op) &&
                                    llvm::any_of(op->getResultTypes(),
                                                 llvm::IsaPred<TensorType>)
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   })
                   .wasInterrupted();
  if (!found)
    return success();
  return diffuse::runPasses(module, [](OpPassManager &pm) {
    pm.addPass(createConvertElementwiseToLinalgPass());
  });
}

/// Softmax and whatever else knows its parts.
static LogicalResult decomposeAggregates(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  module.walk(
      [&](linalg::AggregatedOpInterface op) { aggregates.push_back(op); });
  for (linalg::AggregatedOpInterface op : aggregates) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
    if (failed(parts))
      return op->emitError("cannot decompose this op into loops");
    rewriter.replaceOp(op, *parts);
  }
  return success();
}

static LogicalResult lowerPacking(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  auto result = module.walk([&](Operation *op) -> WalkResult {
    rewriter.setInsertionPoint(op);
    if (auto pack = dyn_cast<linalg::PackOp>(op)) {
      if (failed(linalg::lowerPack(rewriter, pack)))
        return op->emitError("cannot lower linalg.pack to pad and transpose");
    } else if (auto unpack = dyn_cast<linalg::UnPackOp>(op)) {
      if (failed(linalg::lowerUnPack(rewriter, unpack)))
        return op->emitError("cannot lower linalg.unpack to transpose");
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult lowerByPatterns(ModuleOp module) {
  bool winograd = contains<linalg::WinogradFilterTransformOp,
                           linalg::WinogradInputTransformOp,
                           linalg::WinogradOutputTransformOp>(module);
  if (!winograd && !contains<tensor::ConcatOp>(module))
    return success();
  RewritePatternSet patterns(module.getContext());
  linalg::populateDecomposeWinogradOpsPatterns(patterns);
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

LogicalResult diffuse::decomposeOps(ModuleOp module) {
  if (failed(lowerTosa(module)) || failed(decomposeAggregates(module)) ||
      failed(lowerPacking(module)) || failed(lowerByPatterns(module)))
    return failure();
  return lowerElementwise(module);
}
