// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that no machine can hold: counting their elements would overflow.

#ifndef DIFFUSE_ANALYSIS_CHECKSIZES_H
#define DIFFUSE_ANALYSIS_CHECKSIZES_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Reports every op below `module` with a result, or a block argument, whose
/// static extents alone make it larger than 2^47 bytes, as an error at the op.
/// Fails when there is one. Behind this check 64 bits hold the elements and
/// bytes of any tensor.
llvm::LogicalResult checkSizes(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_CHECKSIZES_H
