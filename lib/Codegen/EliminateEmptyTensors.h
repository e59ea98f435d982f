// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results are computed where they belong.

#ifndef DIFFUSE_LIB_CODEGEN_ELIMINATEEMPTYTENSORS_H
#define DIFFUSE_LIB_CODEGEN_ELIMINATEEMPTYTENSORS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// As upstream's pass of that name, but right where several results start from
/// one tensor:
///
///   %1 = linalg.fill ins(%zero) outs(%empty)
///   %2 = linalg.matmul ... outs(%1)
///   %3 = linalg.matmul ... outs(%1)
///   bufferization.materialize_in_destination %2 in restrict writable %d
///   bufferization.materialize_in_destination %3 in restrict writable %e
///
/// Upstream lets `%1` live in `%d`, and then `%3`, its last user, too. That
/// `%2` is copied to `%d` before `%3` is copied to `%e` its analysis, which is
/// one of tensors, does not see.
mlir::LogicalResult eliminateEmptyTensors(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_ELIMINATEEMPTYTENSORS_H
