// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ForwardResults.h"

#include "Diffuse/IR/Names.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace diffuse;

/// The argument at the end of a chain of views of static shape, each with one
/// user; null where there is none or where it is no destination.
static BlockArgument destinationOf(Value buffer, func::FuncOp function,
                                   SmallVectorImpl<Operation *> &views) {
  while (buffer.hasOneUse()) {
    if (auto argument = dyn_cast<BlockArgument>(buffer)) {
      bool isDestination =
          argument.getOwner() == &function.front() &&
          function.getArgAttr(argument.getArgNumber(), kDestinationAttr);
      return isDestination ? argument : BlockArgument();
    }
    Operation *view = buffer.getDefiningOp();
    if (!isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(
            view) ||
        view->getNumOperands() != 1)
      return {};
    views.push_back(view);
    buffer = view->getOperand(0);
  }
  return {};
}

/// Whether the buffer is left alone after `copy`, other than being read from.
static bool isQuietAfter(memref::AllocOp allocation, memref::CopyOp copy) {
  BufferViewFlowAnalysis flow(allocation->getParentOp());
  Block *block = copy->getBlock();
  for (Value alias : flow.resolve(allocation))
    for (Operation *user : alias.getUsers()) {
      Operation *top = block->findAncestorOpInBlock(*user);
      if (!top || isa<func::ReturnOp>(user))
        return false;
      auto other = dyn_cast<memref::CopyOp>(user);
      bool reads =
          other && other.getSource() == alias && other.getTarget() != alias;
      if (!top->isBeforeInBlock(copy) && top != copy && !reads)
        return false;
    }
  return true;
}

static void forward(memref::CopyOp copy, func::FuncOp function) {
  auto allocation = copy.getSource().getDefiningOp<memref::AllocOp>();
  SmallVector<Operation *> views;
  if (!allocation || allocation->getBlock() != &function.front() ||
      copy->getBlock() != &function.front() ||
      allocation.getType() != copy.getTarget().getType() ||
      !destinationOf(copy.getTarget(), function, views) ||
      !isQuietAfter(allocation, copy))
    return;
  for (Operation *view : llvm::reverse(views))
    view->moveBefore(allocation);
  Value target = copy.getTarget();
  copy.erase();
  allocation.getResult().replaceAllUsesWith(target);
  allocation.erase();
}

void diffuse::forwardResults(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return;
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies)
    forward(copy, function);
}
