// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accessors of subgraph functions. All of them read attributes and nothing
// else, so they hold before and after scheduling.

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

/// The first op below `function` that carries `mark`. Scheduling nests marked
/// ops in loops, so all regions are looked at.
static Operation *findMarked(func::FuncOp function, StringRef mark) {
  Operation *found = nullptr;
  function.walk([&](Operation *op) {
    if (!op->hasAttr(mark))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

Operation *diffuse::findAnchor(func::FuncOp function) {
  return findMarked(function, kAnchorAttr);
}

Operation *diffuse::findRoot(func::FuncOp function) {
  return findMarked(function, kRootAttr);
}

int64_t diffuse::getCalls(func::FuncOp function) {
  auto calls = function->getAttrOfType<IntegerAttr>(kCallsAttr);
  return calls ? calls.getInt() : 1;
}
