// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/LowerToLLVM.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

using namespace diffuse;

namespace {
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("Function that a run starts at; main by default"),
      llvm::cl::init("")};
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("host or cpu:<llvm processor>"),
                             llvm::cl::init("host")};
  Option<std::string> numerics{*this, "numerics",
                               llvm::cl::desc("strict, default or fast"),
                               llvm::cl::init("default")};
};
} // namespace

void diffuse::buildLowerToLLVMPipeline(mlir::OpPassManager &manager,
                                       const LowerToLLVMPassOptions &options) {
  manager.addPass(createOutlineSubgraphsPass());
  manager.addPass(createHashSubgraphsPass());
  manager.addPass(createLowerToLLVMPass(options));
}

void diffuse::registerLowerToLLVMPipeline() {
  mlir::PassPipelineRegistration<PipelineOptions>(
      "diffuse-to-llvm", "From linalg on tensors to the LLVM dialect",
      [](mlir::OpPassManager &manager, const PipelineOptions &given) {
        LowerToLLVMPassOptions options;
        options.entry = given.entry;
        options.target = given.target;
        options.numerics = given.numerics;
        buildLowerToLLVMPipeline(manager, options);
      });
}
