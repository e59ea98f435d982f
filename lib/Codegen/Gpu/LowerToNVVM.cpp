// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerToNVVM.h"

#include "RunPasses.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

LogicalResult diffuse::lowerToNVVM(ModuleOp module) {
  return runPasses(module, [](OpPassManager &pm) {
    OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
    kernels.addPass(memref::createExpandStridedMetadataPass());
    kernels.addPass(createLowerAffinePass());
    kernels.addPass(createCanonicalizerPass());
    kernels.addPass(createCSEPass());
    kernels.addPass(createConvertNVGPUToNVVMPass());
    // Knows vector operations that the next pass does not.
    kernels.addPass(createConvertVectorToLLVMPass());
    ConvertGpuOpsToNVVMOpsOptions options;
    options.useBarePtrCallConv = true;
    kernels.addPass(createConvertGpuOpsToNVVMOps(options));
    kernels.addPass(createReconcileUnrealizedCastsPass());
    kernels.addPass(createCanonicalizerPass());
    kernels.addPass(createCSEPass());
  });
}
