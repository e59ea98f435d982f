// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ResultExtents.h"
#include "RunPasses.h"

#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
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

/// Subgraphs have no effect but their results.
static void eraseDeadCalls(func::FuncOp function) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : llvm::reverse(calls)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (call.use_empty() && callee && isSubgraph(callee))
      call.erase();
  }
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
  for (int round = 0; round < 4; ++round) {
    lookThroughCalls(extents);
    if (failed(runPasses(module, [](OpPassManager &pm) {
          OpPassManager &functions = pm.nest<func::FuncOp>();
          functions.addPass(
              memref::createResolveRankedShapeTypeResultDimsPass());
          functions.addPass(createCanonicalizerPass());
          functions.addPass(createCSEPass());
        })))
      return failure();
    eraseDeadCalls(extents);
  }
  return extents;
}
