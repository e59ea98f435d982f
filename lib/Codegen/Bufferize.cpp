// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bufferize.h"
#include "RunPasses.h"

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

LogicalResult diffuse::bufferizeModule(ModuleOp module) {
  bufferization::OneShotBufferizePassOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferizeFunctionBoundaries =
      llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return hasTensorBoundary(function) || !function.getBody().hasOneBlock();
      });
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  return runPasses(module, [&](OpPassManager &pm) {
    pm.addPass(bufferization::createEmptyTensorEliminationPass());
    pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
    pm.addPass(bufferization::createOneShotBufferizePass(options));
    // Copies of a buffer onto itself disappear only in the second round.
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createCanonicalizerPass());
  });
}
