// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list for diffuse-opt, the other tools and the plugin.

#include "Diffuse/Transforms/RegisterPasses.h"

#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/Transforms/Passes.h"

void diffuse::registerPasses() { registerDiffusePasses(); }

void diffuse::registerDialects(mlir::DialectRegistry &registry) {
  registerGraphDialects(registry);
}
