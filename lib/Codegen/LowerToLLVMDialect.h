// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_LOWERTOLLVMDIALECT_H
#define DIFFUSE_LIB_CODEGEN_LOWERTOLLVMDIALECT_H

#include "Diffuse/Codegen/CodegenOptions.h"

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Lowers what bufferization and the schedule left (linalg on buffers, vectors,
/// structured control flow) to loops over scalars and registers: cf, arith,
/// math, memref, and vector of rank 1.
mlir::LogicalResult lowerToLoops(mlir::ModuleOp module,
                                 const CodegenOptions &options);

/// Converts the rest to the LLVM dialect. Elementary functions become calls of
/// libm or instructions.
mlir::LogicalResult convertToLLVMDialect(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_LOWERTOLLVMDIALECT_H
