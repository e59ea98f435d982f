// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_CODEGEN_CHECKPARAMETERS_H
#define DIFFUSE_CODEGEN_CHECKPARAMETERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Whether the safetensors file `path` holds every parameter of `entry` with
/// its type and shape, whole. Fails with an error at the parameter concerned,
/// or at the function where the file itself is at fault.
llvm::LogicalResult checkParameters(mlir::func::FuncOp entry,
                                    llvm::StringRef path);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_CHECKPARAMETERS_H
