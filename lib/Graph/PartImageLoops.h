// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions behind a depthwise convolution walk the image as it does.

#ifndef DIFFUSE_LIB_GRAPH_PARTIMAGELOOPS_H
#define DIFFUSE_LIB_GRAPH_PARTIMAGELOOPS_H

#include "WriteIntoPads.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"

namespace diffuse {

/// Parts the merged loops over the image of each contraction in `blocks` that
/// alone reads a depthwise convolution, so that only
/// dimensions of one element stand between them. Leaves those that could not be
/// joined then (NamedPatterns.h). `written` are the pads of their function.
/// Values do not change.
void partImageLoops(llvm::ArrayRef<mlir::Block *> blocks,
                    const WrittenPads &written);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_PARTIMAGELOOPS_H
