// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/Tune.h"

#include "RegisterPipeline.h"

using namespace diffuse;

/// Schedules of a user name the ops and extents of the module as it stands, so
/// where there are any, layouts stay, and pads with those that read them: as in
/// diffuse-tune, whose records the pipeline shares.
static void addClustering(mlir::OpPassManager &manager, llvm::StringRef target,
                          bool packsLayouts) {
  manager.addPass(createInlineHelpersPass());
  PackLayoutsPassOptions layouts;
  if (!target.empty())
    layouts.target = target.str();
  if (packsLayouts)
    manager.addPass(createPackLayoutsPass(layouts));
  OutlineSubgraphsPassOptions outlining;
  outlining.pads = packsLayouts;
  manager.addPass(createOutlineSubgraphsPass(outlining));
  manager.addPass(createHashSubgraphsPass());
  manager.addPass(createClusterSubgraphsPass());
}

void diffuse::buildTunePipeline(mlir::OpPassManager &manager,
                                const TuneSubgraphsPassOptions &options) {
  addClustering(manager, options.target, options.sketches.empty());
  manager.addPass(createTuneSubgraphsPass(options));
}

void diffuse::registerTunePipeline() {
  registerPipeline(
      "diffuse-tune-pipeline",
      "From linalg on tensors to a schedule for every subgraph, with "
      "the options of diffuse-tune-subgraphs",
      [] { return createTuneSubgraphsPass(); },
      [](mlir::OpPassManager &manager, llvm::StringRef options) {
        addClustering(manager, findOption(options, "target"),
                      findOption(options, "sketches").empty());
      });
}
