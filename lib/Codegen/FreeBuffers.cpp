// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FreeBuffers.h"
#include "RunPasses.h"

#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

LogicalResult diffuse::freeBuffers(ModuleOp module) {
  return runPasses(module, [](OpPassManager &pm) {
    bufferization::buildBufferDeallocationPipeline(pm);
    pm.addPass(createConvertBufferizationToMemRefPass());
    // A call's workspace is not held over the next one.
    pm.addNestedPass<func::FuncOp>(
        bufferization::createOptimizeAllocationLivenessPass());
  });
}
