// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/LowerToLLVM.h"

#include "RegisterPipeline.h"

using namespace diffuse;

static void addOutlining(mlir::OpPassManager &manager) {
  manager.addPass(createOutlineSubgraphsPass());
  manager.addPass(createHashSubgraphsPass());
}

void diffuse::buildLowerToLLVMPipeline(mlir::OpPassManager &manager,
                                       const LowerToLLVMPassOptions &options) {
  addOutlining(manager);
  manager.addPass(createLowerToLLVMPass(options));
}

void diffuse::registerLowerToLLVMPipeline() {
  registerPipeline(
      "diffuse-to-llvm",
      "From linalg on tensors to the LLVM dialect, with "
      "the options of diffuse-lower-to-llvm",
      [] { return createLowerToLLVMPass(); },
      [](mlir::OpPassManager &manager, llvm::StringRef) {
        addOutlining(manager);
      });
}
