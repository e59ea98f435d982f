// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over verifyModule.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/IR/VerifyModule.h"

namespace diffuse {
#define GEN_PASS_DEF_VERIFYMODULEPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
struct VerifyModulePass : impl::VerifyModulePassBase<VerifyModulePass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerGraphDialects(registry);
  }

  void runOnOperation() override {
    if (mlir::failed(verifyModule(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
