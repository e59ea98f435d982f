// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_SPLITPATCHLOOPS_H
#define DIFFUSE_LIB_CODEGEN_SPLITPATCHLOOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Splits loops of linalg.generic on buffers whose inputs are indexed by
/// quotients and remainders of them, as where the patches of a convolution are
/// written out:
///
///   (d0, d1) -> (d0, d1 floordiv 7, d1 mod 7)   becomes   (d0, d1, d2) -> (d0,
///   d1, d2)
///
/// with the result expanded alike. Each element would cost a division, and no
/// row would be seen to be contiguous. Other ops are left as they are.
void splitPatchLoops(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_SPLITPATCHLOOPS_H
