// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_FREEBUFFERS_H
#define DIFFUSE_LIB_CODEGEN_FREEBUFFERS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Frees the buffers that could not be placed where their lifetime ends, by
/// upstream's ownership-based deallocation.
mlir::LogicalResult freeBuffers(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_FREEBUFFERS_H
