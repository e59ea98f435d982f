// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_MOVESLICES_H
#define DIFFUSE_LIB_CODEGEN_MOVESLICES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace diffuse {

/// Moves slices up to the arguments of their function: a slice of what an op
/// computes becomes that op on slices of its operands, and so on. Each element
/// is computed as before. A slice stays where its op cannot be cut (upstream
/// has no way to, access is scattered, a reshape takes the slice apart) and
/// where it is no box of known place and size. Ops that lose their last use
/// stay, too.
void moveSlicesUp(llvm::ArrayRef<mlir::tensor::ExtractSliceOp> slices);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_MOVESLICES_H
