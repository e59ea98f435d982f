// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From linalg on tensors to a module with a schedule per subgraph, as one
// pipeline.

#ifndef DIFFUSE_PIPELINES_TUNE_H
#define DIFFUSE_PIPELINES_TUNE_H

#include "Diffuse/Transforms/Passes.h"

namespace diffuse {

/// Appends outlining, hashing, clustering and tuning. A budget of 0 measures
/// nothing and gives default schedules, or those that records know.
void buildTunePipeline(mlir::OpPassManager &manager,
                       const TuneSubgraphsPassOptions &options);

/// Makes it known as `diffuse-tune-pipeline`, with the options of the pass
/// `diffuse-tune-subgraphs`.
void registerTunePipeline();

} // namespace diffuse

#endif // DIFFUSE_PIPELINES_TUNE_H
