// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/IR/Preparation.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

using namespace diffuse;
using namespace mlir;

/// A tensor whose bytes are known: it can lie in a buffer of the handle.
static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
         (tensor.getElementType().isIntOrIndexOrFloat() ||
          isa<ComplexType>(tensor.getElementType()));
}

bool diffuse::isOnlyPrepared(func::FuncOp subgraph) {
  return getCalls(subgraph) == 0;
}

bool diffuse::isStaticView(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ExtractSliceOp>(op) &&
         op->getNumOperands() == 1 &&
         isStaticTensor(op->getOperand(0).getType()) &&
         isStaticTensor(op->getResult(0).getType());
}

namespace {
/// Walks the block once: what is prepared is known before it is read.
class PreparationFinder {
public:
  explicit PreparationFinder(func::FuncOp entry)
      : entry(entry), symbols(entry->getParentOfType<ModuleOp>()) {}

  SmallVector<func::CallOp> run();
  bool hasInputs();

private:
  bool isDestinationOperand(OpOperand &operand);
  bool isPreparation(func::CallOp call);
  void visit(Operation *op);

  func::FuncOp entry;
  SymbolTable symbols;
  DenseSet<Value> known;
  SmallVector<func::CallOp> found;
};
} // namespace

/// What a destination holds is never read.
bool PreparationFinder::isDestinationOperand(OpOperand &operand) {
  auto call = dyn_cast<func::CallOp>(operand.getOwner());
  auto callee = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : nullptr;
  return callee && isSubgraph(callee) &&
         isDestination(callee, operand.getOperandNumber());
}

/// Whether runs may differ from one another.
bool PreparationFinder::hasInputs() {
  return llvm::any_of(entry.getArguments(), [&](BlockArgument argument) {
    return !isParameter(entry, argument.getArgNumber()) &&
           !llvm::all_of(argument.getUses(), [&](OpOperand &use) {
             return isDestinationOperand(use);
           });
  });
}

bool PreparationFinder::isPreparation(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || !isSubgraph(callee) ||
      !llvm::all_of(call.getResultTypes(), isStaticTensor))
    return false;
  return llvm::all_of(call->getOpOperands(), [&](OpOperand &operand) {
    Type type = operand.get().getType();
    return (!isa<TensorType>(type) || isStaticTensor(type)) &&
           (isDestinationOperand(operand) || known.contains(operand.get()));
  });
}

void PreparationFinder::visit(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  bool isPrepared = call && isPreparation(call);
  if (isPrepared)
    found.push_back(call);
  if (isPrepared || matchPattern(op, m_Constant()) ||
      (isStaticView(op) && known.contains(op->getOperand(0))))
    known.insert_range(op->getResults());
}

SmallVector<func::CallOp> PreparationFinder::run() {
  if (!hasInputs())
    return {};
  for (BlockArgument argument : entry.getArguments())
    if (isParameter(entry, argument.getArgNumber()) &&
        isa<RankedTensorType>(argument.getType()))
      known.insert(argument);
  for (Operation &op : entry.front())
    visit(&op);
  return std::move(found);
}

SmallVector<func::CallOp> diffuse::collectPreparations(func::FuncOp entry) {
  if (isSubgraph(entry) || entry.isExternal())
    return {};
  return PreparationFinder(entry).run();
}

bool diffuse::canPrepare(func::FuncOp function) {
  return !isSubgraph(function) && !function.isExternal() &&
         SymbolTable::symbolKnownUseEmpty(function, function->getParentOp()) &&
         PreparationFinder(function).hasInputs();
}
