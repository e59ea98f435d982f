// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accessors of subgraph functions. All but collectStages read attributes and
// nothing else, so they hold before and after scheduling.

#include "Diffuse/IR/SubgraphFunction.h"

#include "Diffuse/IR/Names.h"

using namespace diffuse;
using namespace mlir;

bool diffuse::isSubgraph(func::FuncOp function) {
  return function->hasAttr(kSubgraphAttr) && !function.isExternal();
}

llvm::SmallVector<func::FuncOp> diffuse::collectSubgraphs(ModuleOp module) {
  llvm::SmallVector<func::FuncOp> subgraphs;
  for (auto function : module.getOps<func::FuncOp>())
    if (isSubgraph(function))
      subgraphs.push_back(function);
  return subgraphs;
}

bool diffuse::isDestination(func::FuncOp function, unsigned argument) {
  return static_cast<bool>(function.getArgAttr(argument, kDestinationAttr));
}

bool diffuse::isParameter(func::FuncOp function, unsigned argument) {
  return static_cast<bool>(function.getArgAttr(argument, kParameterAttr));
}

unsigned diffuse::countInputs(func::FuncOp function) {
  unsigned count = 0;
  while (count < function.getNumArguments() && !isDestination(function, count))
    ++count;
  return count;
}

int64_t diffuse::getStage(Operation *op) {
  auto stage = op->getAttrOfType<IntegerAttr>(kStageAttr);
  return stage && stage.getType().isSignlessInteger(64) ? stage.getInt() : 0;
}

/// The first op below `function` that carries `mark`, of the last stage that
/// has one. Scheduling nests marked ops in loops, so all regions are looked at.
static Operation *findMarked(func::FuncOp function, StringRef mark) {
  Operation *found = nullptr;
  function.walk([&](Operation *op) {
    if (op->hasAttr(mark) && (!found || getStage(op) > getStage(found)))
      found = op;
  });
  return found;
}

Operation *diffuse::findAnchor(func::FuncOp function) {
  return findMarked(function, kAnchorAttr);
}

Operation *diffuse::findRoot(func::FuncOp function) {
  return findMarked(function, kRootAttr);
}

/// The number of stages, no more than there are ops.
static int64_t countStages(Block &body) {
  int64_t last = 0, most = llvm::range_size(body) - 1;
  for (Operation &op : body)
    last = std::max(last, std::min(getStage(&op), most));
  return last + 1;
}

llvm::SmallVector<Stage> diffuse::collectStages(func::FuncOp function) {
  Block &body = function.getBody().front();
  llvm::SmallVector<Stage> stages(countStages(body));
  if (stages.size() == 1) {
    stages[0].anchor = findAnchor(function);
    stages[0].root = findRoot(function);
  }
  for (Operation &op : body) {
    int64_t number = getStage(&op);
    // What is no part of any, such as a pad behind the last, has no number.
    bool isPart = stages.size() == 1 || op.hasAttr(kStageAttr);
    if (!isPart || number < 0 || number >= int64_t(stages.size()))
      continue;
    Stage &stage = stages[number];
    stage.ops.push_back(&op);
    if (op.hasAttr(kAnchorAttr) && !stage.anchor)
      stage.anchor = &op;
    if (op.hasAttr(kRootAttr) && !stage.root)
      stage.root = &op;
  }
  return stages;
}

int64_t diffuse::getCalls(func::FuncOp function) {
  auto calls = function->getAttrOfType<IntegerAttr>(kCallsAttr);
  return calls ? calls.getInt() : 1;
}
