// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that only move images, on tensors with channels in blocks.

#ifndef DIFFUSE_LIB_GRAPH_BLOCKMOVEMENTS_H
#define DIFFUSE_LIB_GRAPH_BLOCKMOVEMENTS_H

#include "BlockedTensors.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace diffuse {

/// `pad` of the blocked form of its source. Null where that has none, and where
/// channels are padded or what is filled in or how much is not known.
mlir::Value padBlocks(mlir::RewriterBase &rewriter, BlockedTensors &tensors,
                      mlir::tensor::PadOp pad);

/// `concat` of the blocked forms of its inputs. Null where they are not all in
/// equal blocks, and along other dimensions than channels.
mlir::Value concatBlocks(mlir::RewriterBase &rewriter, BlockedTensors &tensors,
                         mlir::tensor::ConcatOp concat);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_BLOCKMOVEMENTS_H
