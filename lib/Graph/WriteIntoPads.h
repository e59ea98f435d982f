// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are written into the interior of the tensor that pads them.

#ifndef DIFFUSE_LIB_GRAPH_WRITEINTOPADS_H
#define DIFFUSE_LIB_GRAPH_WRITEINTOPADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace diffuse {

/// Makes the padding of a computed value the value's only reader: whoever else
/// read the value reads the interior of the padded tensor. One pad of a value
/// is chosen, the most read; equal ones are one. Pads that are chosen, and
/// slices of them, are known to endsGroup and isInterior. Values do not change.
void writeIntoPads(mlir::func::FuncOp function);

/// Whether `op` is a pad whose producer shall write into its interior.
bool endsGroup(mlir::Operation *op);

/// Whether `value` is the interior of such a pad: a subgraph takes the padded
/// tensor and slices it inside.
bool isInterior(mlir::Value value);

/// The part of `padded`, of the result type of `pad`, that `pad` copies.
mlir::tensor::ExtractSliceOp sliceInterior(mlir::OpBuilder &builder,
                                           mlir::tensor::PadOp pad,
                                           mlir::Value padded);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_WRITEINTOPADS_H
