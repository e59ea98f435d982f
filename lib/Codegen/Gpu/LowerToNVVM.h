// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_GPU_LOWERTONVVM_H
#define DIFFUSE_LIB_CODEGEN_GPU_LOWERTONVVM_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Converts the kernels in the gpu.module ops of `module`, which are down to
/// cf, arith, math, memref and vectors of rank 1, to the NVVM dialect. Tensor
/// arguments become bare pointers, elementary functions calls of libdevice.
mlir::LogicalResult lowerToNVVM(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_GPU_LOWERTONVVM_H
