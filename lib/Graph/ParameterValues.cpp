// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains are as deep as networks are, so the walk keeps a stack of its own.

#include "ParameterValues.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "OpKinds.h"
#include "SubgraphInputs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace diffuse;
using namespace mlir;

/// The tensors that `op` and its regions read, appended to `tensors`. Where it
/// writes does not count. Fails where a scalar is no constant.
static LogicalResult collectTensorsRead(Operation *op,
                                        llvm::SmallVectorImpl<Value> &tensors) {
  bool isKnown = true;
  auto visit = [&](Value value) {
    if (!isa<TensorType>(value.getType()))
      isKnown &= matchPattern(value, m_Constant());
    else if (!isShapeOnly(value))
      tensors.push_back(value);
  };
  for (Value operand : op->getOperands())
    visit(operand);
  walkCaptured(op, visit);
  return success(isKnown);
}

static bool isMarkedArgument(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(), kParameterAttr);
}

bool ParameterValues::isInSubgraph(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return isOutlinable(op);
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
  return callee && isSubgraph(callee);
}

/// The origin of `value` but for the values that are appended to `read`.
ParameterValues::Origin
ParameterValues::findOwn(Value value, llvm::SmallVectorImpl<Value> &read) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isMarkedArgument(cast<BlockArgument>(value)) ? Origin::Parameters
                                                        : Origin::Run;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op)) {
    read.push_back(op->getOperand(0));
    return Origin::Scalars;
  }
  auto shaped = dyn_cast<RankedTensorType>(value.getType());
  if (!shaped || shaped.getRank() == 0)
    return Origin::Run;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return Origin::Parameters;
  bool isComputed = isInSubgraph(op) && succeeded(collectTensorsRead(op, read));
  return isComputed ? Origin::Scalars : Origin::Run;
}

bool ParameterValues::contains(Value value) {
  struct Step {
    Value value;
    /// Everything that it reads is known.
    bool isLast;
  };
  llvm::SmallVector<Step> steps = {{value, false}};
  while (!steps.empty()) {
    auto [next, isLast] = steps.pop_back_val();
    // What reads itself, in code that is never reached, is of the run.
    if (!isLast && !origins.try_emplace(next, Origin::Run).second)
      continue;
    llvm::SmallVector<Value> read;
    Origin origin = findOwn(next, read);
    if (origin == Origin::Run)
      continue;
    if (isLast) {
      for (Value other : read)
        origin = std::max(origin, origins.lookup(other));
      origins[next] = origin;
      continue;
    }
    steps.push_back({next, true});
    for (Value other : read)
      steps.push_back({other, false});
  }
  return origins.lookup(value) == Origin::Parameters;
}

void ParameterValues::forget(Operation *op) {
  for (Value result : op->getResults())
    origins.erase(result);
}

bool diffuse::isInFirstBlock(Value value) {
  Block *block = value.getParentBlock();
  return block->isEntryBlock() && isa<func::FuncOp>(block->getParentOp());
}
