// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From linalg on tensors to kernels for a GPU, as one pipeline.

#ifndef DIFFUSE_PIPELINES_LOWERTONVVM_H
#define DIFFUSE_PIPELINES_LOWERTONVVM_H

#include "Diffuse/Transforms/Passes.h"

namespace diffuse {

/// Appends the steps from a module on tensors, outlined or not, to gpu.binary
/// ops: subgraphs are outlined and hashed, and those without a schedule get the
/// default one.
void buildLowerToNVVMPipeline(mlir::OpPassManager &manager,
                              const LowerToNVVMPassOptions &options);

/// Makes it known as `diffuse-to-nvvm`, with the options of the pass
/// `diffuse-lower-to-nvvm`.
void registerLowerToNVVMPipeline();

} // namespace diffuse

#endif // DIFFUSE_PIPELINES_LOWERTONVVM_H
