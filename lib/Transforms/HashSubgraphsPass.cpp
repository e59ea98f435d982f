// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over hashSubgraphs.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Graph/ClusterSubgraphs.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"

namespace diffuse {
#define GEN_PASS_DEF_HASHSUBGRAPHSPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
struct HashSubgraphsPass : impl::HashSubgraphsPassBase<HashSubgraphsPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerGraphDialects(registry);
  }

  void runOnOperation() override {
    if (mlir::failed(hashSubgraphs(getOperation())))
      signalPassFailure();
  }
};
} // namespace
