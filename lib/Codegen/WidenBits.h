// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_WIDENBITS_H
#define DIFFUSE_LIB_CODEGEN_WIDENBITS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Makes vectors of i1 (and of other integers that fill no bytes) travel to and
/// from memory as bytes. `module` holds the LLVM dialect.
void widenBitVectors(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_WIDENBITS_H
