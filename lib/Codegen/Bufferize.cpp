// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bufferize.h"
#include "EliminateEmptyTensors.h"
#include "RunPasses.h"
#include "WholeRankWrites.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static bool hasTensorBoundary(func::FuncOp function) {
  auto isTensor = llvm::IsaPred<TensorType>;
  FunctionType type = function.getFunctionType();
  return llvm::any_of(type.getInputs(), isTensor) ||
         llvm::any_of(type.getResults(), isTensor);
}

/// A tensor is a value: a function that is only declared reads the buffers of
/// its arguments and leaves them alone, so none is copied for it.
static void declareReadOnly(func::FuncOp function) {
  StringRef name = bufferization::BufferizationDialect::kBufferAccessAttrName;
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (isa<TensorType>(function.getArgumentTypes()[i]) &&
        !function.getArgAttr(i, name))
      function.setArgAttr(i, name,
                          StringAttr::get(function.getContext(), "read"));
}

LogicalResult diffuse::bufferizeModule(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isExternal())
      declareReadOnly(function);
  bufferization::OneShotBufferizePassOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferizeFunctionBoundaries =
      llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return hasTensorBoundary(function) || !function.getBody().hasOneBlock();
      });
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  writeWholeRanks(module);
  if (failed(eliminateEmptyTensors(module)) ||
      failed(runPasses(module, [&](OpPassManager &pm) {
        pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
        pm.addPass(bufferization::createOneShotBufferizePass(options));
      })))
    return failure();
  dropUnitRanks(module);
  return runPasses(module, [&](OpPassManager &pm) {
    // Copies of a buffer onto itself disappear only in the second round.
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createCanonicalizerPass());
  });
}
