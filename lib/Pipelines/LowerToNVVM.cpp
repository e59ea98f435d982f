// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/LowerToNVVM.h"

#include "RegisterPipeline.h"

using namespace diffuse;

/// Pads stay with their readers: what fills a border runs in no kernel.
static void addOutlining(mlir::OpPassManager &manager) {
  OutlineSubgraphsPassOptions options;
  options.pads = false;
  manager.addPass(createOutlineSubgraphsPass(options));
  manager.addPass(createHashSubgraphsPass());
}

void diffuse::buildLowerToNVVMPipeline(mlir::OpPassManager &manager,
                                       const LowerToNVVMPassOptions &options) {
  addOutlining(manager);
  manager.addPass(createLowerToNVVMPass(options));
}

void diffuse::registerLowerToNVVMPipeline() {
  registerPipeline(
      "diffuse-to-nvvm",
      "From linalg on tensors to kernels for a GPU, with "
      "the options of diffuse-lower-to-nvvm",
      [] { return createLowerToNVVMPass(); },
      [](mlir::OpPassManager &manager, llvm::StringRef) {
        addOutlining(manager);
      });
}
