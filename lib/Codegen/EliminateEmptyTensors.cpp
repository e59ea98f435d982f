// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EliminateEmptyTensors.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;

/// Results that may lie in the buffer of the operand, or more.
static SmallVector<Value> resultsSharing(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op)) {
    if (!destinationStyle.isDpsInit(&use) || op->getNumResults() == 0)
      return {};
    return {destinationStyle.getTiedOpResult(&use)};
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    if (OpResult result = loop.getTiedLoopResult(&use))
      return {result};
  SmallVector<Value> results;
  for (Value result : op->getResults())
    if (isa<TensorType>(result.getType()))
      results.push_back(result);
  return results;
}

static bool isAfter(Operation *op, Operation *other) {
  Operation *ancestor = other->getBlock()->findAncestorOpInBlock(*op);
  return !ancestor || other->isBeforeInBlock(ancestor);
}

/// Whether the values from `value` on to the source of `end` may lie in the
/// destination of `end`: none of them is needed once that is written, and no
/// other value grows from them.
static bool isForAlone(Value value, MaterializeInDestinationOp end) {
  while (value != end.getSource()) {
    Value next;
    for (OpOperand &use : value.getUses()) {
      SmallVector<Value> results = resultsSharing(use);
      bool isSecond = !results.empty() && next;
      if (isSecond || results.size() > 1 || isAfter(use.getOwner(), end))
        return false;
      if (!results.empty())
        next = results.front();
    }
    if (!next)
      return false;
    value = next;
  }
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    return use.getOwner() == end || resultsSharing(use).empty();
  });
}

/// The part of what `insertion` writes into that takes the place of `empty`
/// where `user` starts from it; none where that has to stay.
static Value takePlace(RewriterBase &rewriter,
                       SubsetInsertionOpInterface insertion,
                       tensor::EmptyOp empty, Operation *user) {
  auto end = dyn_cast<MaterializeInDestinationOp>(insertion.getOperation());
  if (end && isa<MemRefType>(end.getDest().getType()))
    for (OpOperand &use : empty->getUses())
      if (use.getOwner() == user)
        for (Value result : resultsSharing(use))
          if (!isForAlone(result, end))
            return {};
  return bufferization::buildSubsetExtraction(rewriter, insertion, empty, user);
}

/// A constant to start from is made for each that starts from it: writing it
/// again is cheaper than a buffer and a copy.
static void fillForEach(ModuleOp module) {
  module.walk([](linalg::FillOp fill) {
    OpBuilder builder(fill);
    bool isTaken = false;
    for (OpOperand &use : llvm::make_early_inc_range(fill->getUses()))
      if (!resultsSharing(use).empty() && std::exchange(isTaken, true))
        use.set(builder.clone(*fill)->getResult(0));
  });
}

LogicalResult diffuse::eliminateEmptyTensors(ModuleOp module) {
  fillForEach(module);
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferizeFunctionBoundaries = true;
  bufferization::OneShotAnalysisState state(module, options);
  if (failed(bufferization::analyzeModuleOp(module, state)))
    return failure();
  IRRewriter rewriter(module.getContext());
  return bufferization::eliminateEmptyTensors(rewriter, module, state,
                                              takePlace);
}
