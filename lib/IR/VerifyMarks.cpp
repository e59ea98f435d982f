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

/// The number of a stage counts from 0, and those of all stages are there.
static LogicalResult verifyNumber(Operation *op, size_t count) {
  Attribute number = op->getAttr(kStageAttr);
  auto integer = dyn_cast_or_null<IntegerAttr>(number);
  if (!number || (integer && integer.getType().isSignlessInteger(64) &&
                  integer.getInt() >= 0 && integer.getInt() < int64_t(count)))
    return success();
  return op->emitError()
         << "expected '" << kStageAttr
         << "' to be an i64 from 0 to the number of stages, but "
            "it is "
         << number;
}

LogicalResult diffuse::verifyAnchorAndRoot(func::FuncOp function) {
  SmallVector<Stage> stages = collectStages(function);
  for (Operation &op : function.getBody().front())
    if (failed(verifyNumber(&op, stages.size())))
      return failure();
  if (stages.size() == 1)
    return verifyStage(function, stages[0].anchor, stages[0].root);
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
