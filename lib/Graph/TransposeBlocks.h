// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_GRAPH_TRANSPOSEBLOCKS_H
#define DIFFUSE_LIB_GRAPH_TRANSPOSEBLOCKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Writes packs and unpacks of one dimension in whole blocks, of static shape,
/// as what they are: a transpose of each block between free reshapes, for which
/// there are sketches.
///
///   %p = linalg.unpack %b inner_dims_pos = [1] inner_tiles = [16] into %e
///       : tensor<1x4x8x8x16xf32> -> tensor<1x64x8x8xf32>
///
/// becomes
///
///   %s = tensor.collapse_shape %b : tensor<4x64x16xf32>
///   %t = linalg.transpose %s permutation = [0, 2, 1] : tensor<4x16x64xf32>
///   %p = reshape of %t : tensor<1x64x8x8xf32>
///
/// Those of parameters stay: they are done once. For functions in normal form,
/// which would give transposes to their readers.
void transposeBlocks(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_TRANSPOSEBLOCKS_H
