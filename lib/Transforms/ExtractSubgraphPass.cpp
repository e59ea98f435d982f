// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over extractSubgraph.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Graph/ExtractSubgraph.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"

namespace diffuse {
#define GEN_PASS_DEF_EXTRACTSUBGRAPHPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
struct ExtractSubgraphPass
    : impl::ExtractSubgraphPassBase<ExtractSubgraphPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerGraphDialects(registry);
  }

  void runOnOperation() override {
    if (name.empty()) {
      mlir::emitError(getOperation().getLoc())
          << "the option 'name' is empty; it names the "
             "subgraph to keep";
      return signalPassFailure();
    }
    if (mlir::failed(extractSubgraph(getOperation(), name)))
      signalPassFailure();
  }
};
} // namespace
