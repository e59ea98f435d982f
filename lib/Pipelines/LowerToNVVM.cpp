// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/LowerToNVVM.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

using namespace diffuse;

namespace {
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("nvidia:sm_80 or nvidia:sm_90"),
                             llvm::cl::init("nvidia:sm_80")};
  Option<std::string> format{*this, "format", llvm::cl::desc("ptx or cubin"),
                             llvm::cl::init("ptx")};
  Option<std::string> numerics{*this, "numerics",
                               llvm::cl::desc("strict, default or fast"),
                               llvm::cl::init("default")};
  Option<std::string> cudaHome{*this, "cuda-home",
                               llvm::cl::desc("folder of the CUDA Toolkit"),
                               llvm::cl::init("")};
};
} // namespace

void diffuse::buildLowerToNVVMPipeline(mlir::OpPassManager &manager,
                                       const LowerToNVVMPassOptions &options) {
  manager.addPass(createOutlineSubgraphsPass());
  manager.addPass(createHashSubgraphsPass());
  manager.addPass(createLowerToNVVMPass(options));
}

void diffuse::registerLowerToNVVMPipeline() {
  mlir::PassPipelineRegistration<PipelineOptions>(
      "diffuse-to-nvvm", "From linalg on tensors to kernels for a GPU",
      [](mlir::OpPassManager &manager, const PipelineOptions &given) {
        LowerToNVVMPassOptions options;
        options.target = given.target;
        options.format = given.format;
        options.numerics = given.numerics;
        options.cudaHome = given.cudaHome;
        buildLowerToNVVMPipeline(manager, options);
      });
}
