// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops outlining may take, and what they are to a group.

#ifndef DIFFUSE_LIB_GRAPH_OPKINDS_H
#define DIFFUSE_LIB_GRAPH_OPKINDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace diffuse {

/// True for an op that computes or moves tensors and nothing else: on ranked
/// tensors without encoding and scalars, without side effects, also in its
/// body.
bool isOutlinable(mlir::Operation *op);

/// True for a call of a subgraph and for an op that may become one.
bool isInSubgraph(mlir::Operation *op);

/// True for an op that gives what it takes another shape.
bool isReshape(mlir::Operation *op);

/// Numbers of the inputs of `op` that are no scalars.
llvm::SmallVector<unsigned> getTensorInputs(mlir::linalg::LinalgOp op);

/// A linalg op with a reduction loop: the anchor of a group.
bool isReduction(mlir::Operation *op);

/// A linalg op whose loops are all parallel and whose results are written in
/// loop order: it can run where its producer's results are made.
bool isElementwiseOp(mlir::Operation *op);

/// True when `op` reads what `init` holds, or leaves part of it in place.
bool readsInit(mlir::linalg::LinalgOp op, mlir::OpOperand &init);

/// A fill, or a linalg op that broadcasts one input of lower rank: cheaper to
/// repeat than to store.
bool isCheapInit(mlir::Operation *op);

/// An elementwise op that widens or dequantizes: cheap enough to repeat for
/// each use of its result, and its input is smaller than its result.
bool isCheapCast(mlir::Operation *op);

/// A constant that goes into the body of a subgraph: a scalar or of rank 0.
bool isInlineConstant(mlir::Operation *op);

/// Short name for the functions of a group: "conv_2d_nchw_fchw", "pad",
/// "contraction", "elementwise".
std::string getShortName(mlir::Operation *anchor);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_OPKINDS_H
