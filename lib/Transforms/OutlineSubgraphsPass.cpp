// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over outlineSubgraphs.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/Graph/ReportSubgraphs.h"

namespace diffuse {
#define GEN_PASS_DEF_OUTLINESUBGRAPHSPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
struct OutlineSubgraphsPass
    : impl::OutlineSubgraphsPassBase<OutlineSubgraphsPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerGraphDialects(registry);
  }

  void runOnOperation() override {
    OutlineOptions options;
    options.pads = pads ? PadPlacement::Producer : PadPlacement::Consumer;
    options.patterns = patterns;
    if (mlir::failed(outlineSubgraphs(getOperation(), options)))
      return signalPassFailure();
    if (report)
      reportSubgraphs(getOperation());
  }
};
} // namespace
