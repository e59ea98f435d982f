// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks may be written by hand, so nothing that scheduling takes for granted
// is.

#include "Diffuse/IR/VerifyMarks.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace diffuse;
using namespace mlir;

static int64_t getResultRank(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type ? type.getRank() : 0;
}

/// An op that is no linalg op walks its result.
static int64_t countLoops(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp ? int64_t(linalgOp.getNumLoops()) : getResultRank(op);
}

static LogicalResult verifyResults(Operation *op, StringRef mark) {
  if (op->getNumResults() != 0)
    return success();
  return op->emitError() << "op with '" << mark << "' has no results";
}

static LogicalResult verifyStage(func::FuncOp function, Operation *anchor,
                                 Operation *root) {
  if (!anchor || !root)
    return function.emitError() << "subgraph has no op with '"
                                << (anchor ? kRootAttr : kAnchorAttr) << "'";
  if (failed(verifyResults(anchor, kAnchorAttr)) ||
      failed(verifyResults(root, kRootAttr)))
    return failure();
  if (root == anchor || countLoops(root) == getResultRank(anchor))
    return success();
  InFlightDiagnostic error = root->emitError()
                             << "op with '" << kRootAttr << "' has "
                             << countLoops(root)
                             << " loops, but the anchor's result has "
                             << getResultRank(anchor) << " dimensions";
  error.attachNote(anchor->getLoc()) << "the anchor is here";
  return error;
}

LogicalResult diffuse::verifyAnchorAndRoot(func::FuncOp function) {
  SmallVector<Stage> stages = collectStages(function);
  if (stages.size() == 1)
    return verifyStage(function, findAnchor(function), findRoot(function));
  for (auto [number, stage] : llvm::enumerate(stages)) {
    if (!stage.anchor || !stage.root)
      return function.emitError()
             << "stage " << number << " of the subgraph has no op with '"
             << (stage.anchor ? kRootAttr : kAnchorAttr) << "'";
    if (!isa<linalg::LinalgOp>(stage.root))
      return stage.root->emitError()
             << "root of stage " << number << " is no linalg op";
    if (failed(verifyStage(function, stage.anchor, stage.root)))
      return failure();
  }
  return success();
}
