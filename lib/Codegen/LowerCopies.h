// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_LOWERCOPIES_H
#define DIFFUSE_LIB_CODEGEN_LOWERCOPIES_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Turns copies between buffers that are not both contiguous into linalg.copy,
/// which becomes loops: upstream would call memrefCopy of MLIR's runtime.
/// Contiguous ones stay and become memcpy.
void lowerStridedCopies(mlir::ModuleOp module);

/// Rewrites expand_shape with several dynamic extents in one group as
/// reinterpret_cast with the sizes that it states, which upstream's own
/// expansion dies on.
void lowerDynamicExpandShapes(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_LOWERCOPIES_H
