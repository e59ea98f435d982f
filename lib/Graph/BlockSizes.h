// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_GRAPH_BLOCKSIZES_H
#define DIFFUSE_LIB_GRAPH_BLOCKSIZES_H

#include "Diffuse/Target/TargetDescription.h"
#include "ParameterValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace diffuse {

/// The loop that the channels of `operand`, an image, walk, or -1.
int getChannelLoop(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

/// The blocks in which the convolutions of `function` that start blocks write
/// their channels. Those are in NCHW, of f32 or f64, and their filters can be
/// packed ahead of all runs.
///
/// Where results of several meet before they reach another convolution (a
/// concatenation of 192 and 208 channels), they get the largest block that fits
/// all, at least one vector: to go from one block to another would move them
/// all. Where there is none, each has its own. One whose filters fill half
/// vectors only has none where it computes much for each byte that it reads.
llvm::DenseMap<mlir::Operation *, int64_t>
chooseBlockSizes(mlir::func::FuncOp function, const TargetDescription &target,
                 ParameterValues &parameters);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_BLOCKSIZES_H
