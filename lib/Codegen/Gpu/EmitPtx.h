// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in the NVVM dialect to PTX, by LLVM's own code generator: no part of
// the CUDA Toolkit is needed, except its math library where kernels call it.

#ifndef DIFFUSE_LIB_CODEGEN_GPU_EMITPTX_H
#define DIFFUSE_LIB_CODEGEN_GPU_EMITPTX_H

#include "Diffuse/Codegen/CodegenOptions.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace diffuse {

/// One PTX text with the kernels of all `modules`, each optimized by itself.
/// `libdevice` is the path of libdevice.10.bc or empty. Fails with an error at
/// a module that calls a function which is nowhere. `llvmText`, where given,
/// receives the optimized LLVM IR.
mlir::FailureOr<std::string>
emitPtx(llvm::ArrayRef<mlir::gpu::GPUModuleOp> modules,
        const CodegenOptions &options, llvm::StringRef libdevice,
        std::string *llvmText = nullptr);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_GPU_EMITPTX_H
