// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions behind a depthwise convolution walk the image as it does.

#ifndef DIFFUSE_LIB_GRAPH_PARTIMAGELOOPS_H
#define DIFFUSE_LIB_GRAPH_PARTIMAGELOOPS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"

namespace diffuse {

/// Parts the merged loops over the image of each contraction in `blocks` that
/// alone reads a depthwise convolution of more than `cachedBytes`, so that only
/// dimensions of one element stand between them. Values do not change.
void partImageLoops(llvm::ArrayRef<mlir::Block *> blocks, double cachedBytes);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_PARTIMAGELOOPS_H
