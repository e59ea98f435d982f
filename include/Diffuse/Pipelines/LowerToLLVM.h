// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From linalg on tensors to the LLVM dialect, as one pipeline.

#ifndef DIFFUSE_PIPELINES_LOWERTOLLVM_H
#define DIFFUSE_PIPELINES_LOWERTOLLVM_H

#include "Diffuse/Transforms/Passes.h"

namespace diffuse {

/// Appends the steps from a module on tensors, outlined and scheduled or not,
/// to the LLVM dialect. Subgraphs without a schedule become plain loops: the
/// tune pipeline with a budget of 0 gives them default schedules before.
void buildLowerToLLVMPipeline(mlir::OpPassManager &manager,
                              const LowerToLLVMPassOptions &options);

/// Makes it known as `diffuse-to-llvm`, with the options of the pass
/// `diffuse-lower-to-llvm`.
void registerLowerToLLVMPipeline();

} // namespace diffuse

#endif // DIFFUSE_PIPELINES_LOWERTOLLVM_H
