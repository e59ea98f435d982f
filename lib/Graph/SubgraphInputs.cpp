// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SubgraphInputs.h"

#include "OpKinds.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

InitKind diffuse::classifyInit(OpOperand &init) {
  auto op = dyn_cast<linalg::LinalgOp>(init.getOwner());
  if (!op || !readsInit(op, init) ||
      init.get().getDefiningOp<tensor::EmptyOp>())
    return InitKind::Fresh;
  return isRepeatedUse(init) ? InitKind::Repeated : InitKind::Tied;
}

bool diffuse::isInit(OpOperand &operand) {
  auto style = dyn_cast<DestinationStyleOpInterface>(operand.getOwner());
  return style && style.isDpsInit(&operand);
}

bool diffuse::isShapeOnly(Value value) {
  auto empty = value.getDefiningOp<tensor::EmptyOp>();
  return empty && empty.getDynamicSizes().empty();
}

Operation *diffuse::getProducer(const OpGroup &group, OpOperand &operand) {
  Operation *producer = operand.get().getDefiningOp();
  return producer && group.contains(producer) ? producer : nullptr;
}

void diffuse::walkCaptured(Operation *op,
                           llvm::function_ref<void(Value)> visit) {
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    for (Value value : inner->getOperands())
      if (!op->isAncestor(value.getParentBlock()->getParentOp()))
        visit(value);
  });
}

namespace {
struct InputCollector {
  const OpGroup &group;
  const WrittenPads &written;
  llvm::SetVector<Value> inputs;
  llvm::DenseSet<Operation *> visited;

  void take(Value value) {
    if (written.isInterior(value))
      inputs.insert(value.getDefiningOp()->getOperand(0));
    else if (!isInlineConstant(value.getDefiningOp()) && !isShapeOnly(value))
      inputs.insert(value);
  }

  void visit(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (Operation *producer = getProducer(group, operand)) {
        if (visited.insert(producer).second)
          visit(producer);
        continue;
      }
      InitKind kind = isInit(operand) ? classifyInit(operand) : InitKind::Tied;
      if (kind == InitKind::Repeated)
        visit(operand.get().getDefiningOp());
      else if (kind == InitKind::Tied)
        take(operand.get());
    }
    walkCaptured(op, [&](Value value) { take(value); });
  }
};
} // namespace

llvm::SetVector<Value> diffuse::collectInputs(const OpGroup &group,
                                              const WrittenPads &written) {
  InputCollector collector{group, written, {}, {}};
  for (const OpGroup &stage : group.before)
    if (collector.visited.insert(stage.root()).second)
      collector.visit(stage.root());
  collector.visit(group.root());
  return std::move(collector.inputs);
}
