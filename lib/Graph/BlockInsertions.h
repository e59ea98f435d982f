// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concatenations of channels as some front ends write them: parts that are
// inserted one after the other into a new tensor.
//
//   %a = insert_slice %x into %e[0, 0, 0, 0]
//   %b = insert_slice %y into %a[0, 64, 0, 0]

#ifndef DIFFUSE_LIB_GRAPH_BLOCKINSERTIONS_H
#define DIFFUSE_LIB_GRAPH_BLOCKINSERTIONS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace diffuse {

/// The insertions that `last` goes on from and itself, first to last.
llvm::SmallVector<mlir::tensor::InsertSliceOp>
collectInsertions(mlir::tensor::InsertSliceOp last);

/// Nobody but another insertion reads the result of `op`.
bool isContinued(mlir::tensor::InsertSliceOp op);

/// `op` inserts whole blocks of an image, at a place that is known.
bool insertsBlocks(mlir::tensor::InsertSliceOp op, int64_t block);

/// `plain`, which inserts blocks, on tensors with channels in blocks.
mlir::Value insertBlocks(mlir::OpBuilder &builder,
                         mlir::tensor::InsertSliceOp plain, mlir::Value source,
                         mlir::Value dest, int64_t block);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_BLOCKINSERTIONS_H
