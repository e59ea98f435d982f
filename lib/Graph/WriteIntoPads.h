// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are written into the interior of the tensor that pads them.

#ifndef DIFFUSE_LIB_GRAPH_WRITEINTOPADS_H
#define DIFFUSE_LIB_GRAPH_WRITEINTOPADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

namespace diffuse {

/// Pads that were chosen in one function.
struct WrittenPads {
  /// Pads whose producers shall write into their interiors.
  llvm::DenseSet<mlir::Operation *> pads;
  /// Slices of them: a subgraph takes the padded tensor and slices it inside.
  llvm::DenseSet<mlir::Operation *> interiors;

  bool isInterior(mlir::Value value) const;
};

/// Makes the padding of a computed value the value's only reader: whoever else
/// read the value reads the interior of the padded tensor. One pad of a value
/// is chosen, the most read; equal ones are one. `blocks` are those of
/// `function` whose ops become subgraphs. Values do not change.
WrittenPads writeIntoPads(mlir::func::FuncOp function,
                          llvm::ArrayRef<mlir::Block *> blocks);

/// The part of `padded`, of the result type of `pad`, that `pad` copies.
mlir::tensor::ExtractSliceOp sliceInterior(mlir::OpBuilder &builder,
                                           mlir::tensor::PadOp pad,
                                           mlir::Value padded);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_WRITEINTOPADS_H
