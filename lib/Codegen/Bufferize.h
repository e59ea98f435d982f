// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_BUFFERIZE_H
#define DIFFUSE_LIB_CODEGEN_BUFFERIZE_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Bufferizes the bodies of `module` and cleans up. Functions that still take
/// or return tensors (recursive and external ones) get buffers of identity
/// layout at their boundary.
mlir::LogicalResult bufferizeModule(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_BUFFERIZE_H
