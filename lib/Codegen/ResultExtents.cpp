// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ResultExtents.h"
#include "RunPasses.h"

#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace diffuse;

/// Replaces the results of `function` by their dynamic extents.
static unsigned returnExtents(func::FuncOp function) {
  SmallVector<Type> types;
  function.walk([&](func::ReturnOp op) {
    OpBuilder builder(op);
    SmallVector<Value> extents;
    for (Value value : op.getOperands()) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          extents.push_back(
              tensor::DimOp::create(builder, op.getLoc(), value, dim));
    }
    op->setOperands(extents);
    types.assign(extents.size(), builder.getIndexType());
  });
  function.removeResAttrsAttr();
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(), types));
  return types.size();
}

/// The extents of a subgraph's result are those of its destination.
static void lookThroughCalls(func::FuncOp function) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  function.walk([&](tensor::DimOp dim) {
    auto call = dim.getSource().getDefiningOp<func::CallOp>();
    if (!call)
      return;
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || !isSubgraph(callee))
      return;
    unsigned result = cast<OpResult>(dim.getSource()).getResultNumber();
    dim.getSourceMutable().assign(
        call.getOperand(countInputs(callee) + result));
  });
}

namespace {
/// What ops do beside giving results; callees are looked into.
class EffectFinder {
public:
  explicit EffectFinder(ModuleOp module) : symbols(module) {}

  bool writes(Operation *op) { return has<MemoryEffects::Write>(op); }
  bool reads(Operation *op) {
    // What the buffer holds when the tensor is used.
    return isa<bufferization::ToTensorOp>(op) || has<MemoryEffects::Read>(op);
  }

private:
  /// The ops inside `op` are asked about by themselves.
  template <typename Effect> bool has(Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      return calleeHas<Effect>(symbols.lookup<func::FuncOp>(call.getCallee()));
    if (op->hasTrait<OpTrait::IsTerminator>() ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return false;
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    return interface ? interface.hasEffect<Effect>() : !isPure(op);
  }

  template <typename Effect> bool calleeHas(func::FuncOp callee) {
    if (!callee || callee.isExternal())
      return true;
    // Subgraphs have no effect but their results. A function that is being
    // looked into already, by recursion, adds none.
    if (isSubgraph(callee) || !visiting.insert(callee).second)
      return false;
    WalkResult found = callee.walk([&](Operation *op) {
      return op != callee && has<Effect>(op) ? WalkResult::interrupt()
                                             : WalkResult::advance();
    });
    visiting.erase(callee);
    return found.wasInterrupted();
  }

  SymbolTable symbols;
  llvm::SmallPtrSet<Operation *, 4> visiting;
};
} // namespace

/// Erases what gives nothing that is needed, whatever its effects: those are
/// for the run. Returns whether one of them may write to memory.
static bool eraseUnneeded(func::FuncOp function) {
  EffectFinder effects(function->getParentOfType<ModuleOp>());
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  bool wrote = false;
  for (Operation *op : llvm::reverse(ops)) {
    if (op == function || !op->use_empty() ||
        op->hasTrait<OpTrait::IsTerminator>())
      continue;
    op->walk([&](Operation *inner) { wrote |= effects.writes(inner); });
    op->erase();
  }
  return wrote;
}

/// What is left runs twice, before the run and in it: it may not change
/// anything, nor see what the run would have changed by then.
static LogicalResult checkRepeatable(func::FuncOp function, bool wrote) {
  EffectFinder effects(function->getParentOfType<ModuleOp>());
  WalkResult walk = function.walk([&](Operation *op) {
    if (op == function ||
        (!effects.writes(op) && !(wrote && effects.reads(op))))
      return WalkResult::advance();
    op->emitError("the extents of a result depend on this op, which ")
        << (effects.writes(op) ? "has effects" : "reads what others write")
        << ": they cannot be known before a run; make them depend on "
           "arguments alone";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult simplify(func::FuncOp function) {
  return runPasses(function, [](OpPassManager &pm) {
    pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  });
}

FailureOr<func::FuncOp> diffuse::createExtentsFunction(func::FuncOp entry,
                                                       StringRef name) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (llvm::none_of(entry.getResultTypes(), isDynamic))
    return func::FuncOp();
  func::FuncOp extents = entry.clone();
  extents.setName(name);
  auto module = entry->getParentOfType<ModuleOp>();
  module.push_back(extents);
  returnExtents(extents);
  // Each round sees through one more call and the reshapes before it; the
  // extents of most networks depend on the arguments after a few.
  bool wrote = false;
  for (int round = 0; round < 4; ++round) {
    lookThroughCalls(extents);
    wrote |= eraseUnneeded(extents);
    if (failed(simplify(extents)))
      return failure();
  }
  wrote |= eraseUnneeded(extents);
  if (failed(checkRepeatable(extents, wrote)))
    return failure();
  return extents;
}
