// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches of a function become kernels with the function's own arguments,
// so that whoever launches one needs to know the boundary and nothing else.

#ifndef DIFFUSE_LIB_CODEGEN_GPU_OUTLINEKERNELS_H
#define DIFFUSE_LIB_CODEGEN_GPU_OUTLINEKERNELS_H

#include "Diffuse/Codegen/CompileGpuKernels.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace diffuse {

struct OutlinedKernels {
  /// Beside the function, in its module.
  mlir::gpu::GPUModuleOp module;
  std::vector<KernelLaunch> launches;
};

/// Moves the body of each gpu.launch at the top level of `function` into a
/// kernel. Fails with an error at a launch of unknown size or beyond the limits
/// of `target`, and at one that needs what the function computes.
mlir::FailureOr<OutlinedKernels>
outlineKernels(mlir::func::FuncOp function, llvm::StringRef symbol,
               const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_GPU_OUTLINEKERNELS_H
