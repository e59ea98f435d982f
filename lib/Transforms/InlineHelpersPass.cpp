// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over inlineHelpers.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Graph/InlineHelpers.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"

namespace diffuse {
#define GEN_PASS_DEF_INLINEHELPERSPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
struct InlineHelpersPass : impl::InlineHelpersPassBase<InlineHelpersPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerGraphDialects(registry);
  }

  void runOnOperation() override {
    if (mlir::failed(inlineHelpers(getOperation())))
      signalPassFailure();
  }
};
} // namespace
