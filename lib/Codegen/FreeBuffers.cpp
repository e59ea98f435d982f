// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FreeBuffers.h"
#include "RunPasses.h"

#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"

using namespace mlir;

LogicalResult diffuse::freeBuffers(ModuleOp module) {
  return runPasses(module, [](OpPassManager &pm) {
    bufferization::buildBufferDeallocationPipeline(pm);
    pm.addPass(createConvertBufferizationToMemRefPass());
  });
}
