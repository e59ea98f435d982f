// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/Tune.h"

#include "RegisterPipeline.h"

using namespace diffuse;

static void addClustering(mlir::OpPassManager &manager,
                          llvm::StringRef target) {
  PackLayoutsPassOptions layouts;
  if (!target.empty())
    layouts.target = target.str();
  manager.addPass(createPackLayoutsPass(layouts));
  manager.addPass(createOutlineSubgraphsPass());
  manager.addPass(createHashSubgraphsPass());
  manager.addPass(createClusterSubgraphsPass());
}

void diffuse::buildTunePipeline(mlir::OpPassManager &manager,
                                const TuneSubgraphsPassOptions &options) {
  addClustering(manager, options.target);
  manager.addPass(createTuneSubgraphsPass(options));
}

void diffuse::registerTunePipeline() {
  registerPipeline(
      "diffuse-tune-pipeline",
      "From linalg on tensors to a schedule for every subgraph, with "
      "the options of diffuse-tune-subgraphs",
      [] { return createTuneSubgraphsPass(); }, addClustering);
}
