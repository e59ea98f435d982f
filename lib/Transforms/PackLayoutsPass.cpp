// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over packLayouts.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/Graph/PackLayouts.h"
#include "Diffuse/IR/ModuleLocation.h"

namespace diffuse {
#define GEN_PASS_DEF_PACKLAYOUTSPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
struct PackLayoutsPass : impl::PackLayoutsPassBase<PackLayoutsPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerGraphDialects(registry);
  }

  void runOnOperation() override {
    llvm::Expected<TargetDescription> description = parseTarget(target);
    if (!description) {
      mlir::emitError(moduleLocation(getOperation()))
          << llvm::toString(description.takeError());
      return signalPassFailure();
    }
    LayoutOptions options{always ? Layouts::Blocked : Layouts::Auto,
                          *description, report};
    if (mlir::failed(packLayouts(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
