// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A depth-first walk with an explicit stack: chains in a block may be long.

#include "DataFlowOrder.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace diffuse;
using namespace mlir;

/// What `op` needs: its operands, then what its regions capture from outside
/// of it, in the order of their data flow.
static void collectNeeds(Operation *op, llvm::SmallVectorImpl<Value> &needs) {
  needs.append(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation *inner : orderByDataFlow(block)) {
        llvm::SmallVector<Value> captured;
        collectNeeds(inner, captured);
        llvm::copy_if(captured, std::back_inserter(needs), [&](Value value) {
          return !op->isAncestor(value.getParentBlock()->getParentOp());
        });
      }
}

/// For each op of `block` with side effects, the one before it.
static llvm::DenseMap<Operation *, Operation *> chainEffects(Block &block) {
  llvm::DenseMap<Operation *, Operation *> chain;
  Operation *last = nullptr;
  for (Operation &op : block) {
    if (isMemoryEffectFree(&op))
      continue;
    if (last)
      chain[&op] = last;
    last = &op;
  }
  return chain;
}

namespace {
/// An op whose needs are being visited, and how far.
struct Visit {
  Operation *op;
  llvm::SmallVector<Value> needs;
  unsigned next = 0;
};
} // namespace

llvm::SmallVector<Operation *> diffuse::orderByDataFlow(Block &block) {
  llvm::SmallVector<Operation *> order;
  llvm::DenseSet<Operation *> seen;
  llvm::SmallVector<Visit> stack;
  llvm::DenseMap<Operation *, Operation *> effects = chainEffects(block);
  auto open = [&](Operation *op) {
    if (!op || op->getBlock() != &block || !seen.insert(op).second)
      return;
    stack.push_back({op, {}, 0});
    collectNeeds(op, stack.back().needs);
  };
  auto visit = [&](Operation *root) {
    open(root);
    while (!stack.empty()) {
      Visit &top = stack.back();
      if (top.next < top.needs.size()) {
        open(top.needs[top.next++].getDefiningOp());
        continue;
      }
      if (top.next++ == top.needs.size()) {
        open(effects.lookup(top.op));
        continue;
      }
      order.push_back(top.op);
      stack.pop_back();
    }
  };
  if (block.empty())
    return order;
  visit(&block.back());
  for (Operation &op : block)
    visit(&op);
  return order;
}
