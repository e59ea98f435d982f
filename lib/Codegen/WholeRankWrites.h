// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bufferization of MLIR 22 compares the extents of a tensor with those of a
// vector written into it from the first dimension on, whatever their ranks and
// the permutation are. It holds
//
//   vector.transfer_write %v, %t[%c0, %c0] : vector<16xf32>, tensor<1x31xf32>
//
// for a write of all of %t (1 <= 16), and where %t needs a buffer of its own
// the elements that were not written are never copied there. A vector with a
// dimension for each one of the tensor, in their order, is compared rightly.

#ifndef DIFFUSE_LIB_CODEGEN_WHOLERANKWRITES_H
#define DIFFUSE_LIB_CODEGEN_WHOLERANKWRITES_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Gives every vector that is written into part of a tensor of another rank or
/// order the rank and order of the tensor.
void writeWholeRanks(mlir::ModuleOp module);

/// Takes the dimensions of one element away again, from what is written into
/// buffers.
void dropUnitRanks(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_WHOLERANKWRITES_H
