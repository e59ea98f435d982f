// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over lowerModule.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Codegen/LowerModule.h"

namespace diffuse {
#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
struct LowerToLLVMPass : impl::LowerToLLVMPassBase<LowerToLLVMPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerCodegenDialects(registry);
  }

  void runOnOperation() override {
    llvm::Expected<CodegenOptions> options = readOptions();
    if (!options) {
      getOperation().emitError(llvm::toString(options.takeError()));
      return signalPassFailure();
    }
    mlir::FailureOr<mlir::func::FuncOp> function =
        findEntry(getOperation(), entry);
    if (mlir::failed(function) ||
        mlir::failed(
            lowerModule(getOperation(), *function, tunedSchedule, *options)))
      signalPassFailure();
  }

private:
  llvm::Expected<CodegenOptions> readOptions() const {
    CodegenOptions options;
    llvm::Expected<TargetDescription> parsed = parseTarget(target);
    if (!parsed)
      return parsed.takeError();
    if (parsed->isGpu())
      return llvm::createStringError(
          "target '" + target +
          "' is a GPU, for which diffuse-lower-to-nvvm compiles");
    options.target = *parsed;
    llvm::Expected<Numerics> mode = parseNumerics(numerics);
    if (!mode)
      return mode.takeError();
    options.numerics = *mode;
    return options;
  }
};
} // namespace
