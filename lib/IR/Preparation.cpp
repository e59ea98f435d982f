// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/IR/Preparation.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <map>

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
/// What one block prepares.
struct Prepared {
  /// How often each call does, in program order.
  llvm::MapVector<Operation *, uint64_t> calls;
  /// Of what the terminator takes, whether it is known before all runs.
  SmallVector<bool> results;
};

/// Walks each block once: what is prepared is known before it is read.
class PreparationFinder {
public:
  explicit PreparationFinder(func::FuncOp entry)
      : entry(entry), symbols(entry->getParentOfType<ModuleOp>()) {}

  /// `inlines`: functions that are called are a part of their callers.
  Prepared run(bool inlines);
  bool hasInputs();

private:
  bool isDestinationOperand(OpOperand &operand);
  bool isPreparation(func::CallOp call, const DenseSet<Value> &known);
  func::FuncOp getInlined(func::CallOp call);
  Prepared walk(Block &block, ArrayRef<bool> arguments);
  void follow(func::CallOp call, func::FuncOp callee, DenseSet<Value> &known,
              Prepared &prepared);

  func::FuncOp entry;
  SymbolTable symbols;
  bool inlines = false;
  /// By function, and which of its arguments are known.
  std::map<std::pair<Operation *, std::vector<bool>>, Prepared> callees;
  DenseSet<Operation *> inside;
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

bool PreparationFinder::isPreparation(func::CallOp call,
                                      const DenseSet<Value> &known) {
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

/// The function that takes the place of `call`, or null.
func::FuncOp PreparationFinder::getInlined(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  bool isInlined = inlines && callee && !callee.isExternal() &&
                   !isSubgraph(callee) && callee.getBody().hasOneBlock() &&
                   !callee.getNoInline() && !call.getNoInline();
  return isInlined && !inside.contains(callee) ? callee : nullptr;
}

void PreparationFinder::follow(func::CallOp call, func::FuncOp callee,
                               DenseSet<Value> &known, Prepared &prepared) {
  std::vector<bool> arguments;
  for (Value operand : call.getOperands())
    arguments.push_back(known.contains(operand));
  auto [found, isNew] = callees.try_emplace({callee, arguments});
  Prepared &inner = found->second;
  if (isNew) {
    inside.insert(callee);
    inner = walk(callee.front(),
                 SmallVector<bool>(arguments.begin(), arguments.end()));
    inside.erase(callee);
  }
  for (auto [op, times] : inner.calls)
    prepared.calls[op] = llvm::SaturatingAdd(prepared.calls[op], times);
  for (auto [result, isKnown] :
       llvm::zip_equal(call.getResults(), inner.results))
    if (isKnown)
      known.insert(result);
}

Prepared PreparationFinder::walk(Block &block, ArrayRef<bool> arguments) {
  Prepared prepared;
  DenseSet<Value> known;
  for (auto [argument, isKnown] :
       llvm::zip_equal(block.getArguments(), arguments))
    if (isKnown)
      known.insert(argument);
  for (Operation &op : block) {
    auto call = dyn_cast<func::CallOp>(op);
    if (func::FuncOp callee = call ? getInlined(call) : nullptr) {
      follow(call, callee, known, prepared);
      continue;
    }
    bool isPrepared = call && isPreparation(call, known);
    if (isPrepared)
      prepared.calls[call] = 1;
    if (isPrepared || matchPattern(&op, m_Constant()) ||
        (isStaticView(&op) && known.contains(op.getOperand(0))))
      known.insert_range(op.getResults());
  }
  for (Value operand : block.getTerminator()->getOperands())
    prepared.results.push_back(known.contains(operand));
  return prepared;
}

Prepared PreparationFinder::run(bool inlinesCalls) {
  if (isSubgraph(entry) || entry.isExternal() || !hasInputs())
    return {};
  inlines = inlinesCalls;
  inside.insert(entry);
  SmallVector<bool> arguments;
  for (BlockArgument argument : entry.getArguments())
    arguments.push_back(isParameter(entry, argument.getArgNumber()) &&
                        isa<RankedTensorType>(argument.getType()));
  return walk(entry.front(), arguments);
}

SmallVector<func::CallOp> diffuse::collectPreparations(func::FuncOp entry) {
  SmallVector<func::CallOp> calls;
  for (auto [op, times] : PreparationFinder(entry).run(false).calls)
    calls.push_back(cast<func::CallOp>(op));
  return calls;
}

llvm::MapVector<Operation *, uint64_t>
diffuse::countPreparations(func::FuncOp entry) {
  return PreparationFinder(entry).run(true).calls;
}

bool diffuse::canPrepare(func::FuncOp function) {
  return !isSubgraph(function) && !function.isExternal() &&
         SymbolTable::symbolKnownUseEmpty(function, function->getParentOp()) &&
         PreparationFinder(function).hasInputs();
}
