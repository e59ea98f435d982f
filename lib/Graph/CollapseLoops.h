// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fewer loops for the same work: neighbours that every operand walks together
// become one loop, and loops of extent 1 vanish into others.

#ifndef DIFFUSE_LIB_GRAPH_COLLAPSELOOPS_H
#define DIFFUSE_LIB_GRAPH_COLLAPSELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace diffuse {

/// The loops that become one, outermost first.
using LoopGroup = llvm::SmallVector<unsigned, 2>;

/// What collapsing makes of one operand.
struct CollapsedOperand {
  /// One group of the operand's dimensions for each new one.
  llvm::SmallVector<mlir::ReassociationIndices> reassociation;
  mlir::AffineMap map;
  /// False when the operand keeps its shape.
  bool isReshaped = false;
};

/// Checks whether each of `groups`, which hold every loop of `op` once, can be
/// one loop, and returns what becomes of the operands. Loops of extent 1 may
/// stand anywhere in a group of others. Fails where an operand walks the loops
/// of a group apart, where two unknown extents would be merged, and for ops
/// with index semantics.
mlir::FailureOr<llvm::SmallVector<CollapsedOperand>>
planCollapse(mlir::linalg::GenericOp op, llvm::ArrayRef<LoopGroup> groups);

/// Replaces `op` by an op with one loop for each of `groups`, in their order,
/// on collapsed operands; its results are expanded again. The reshapes are
/// free.
mlir::linalg::GenericOp collapseLoops(mlir::RewriterBase &rewriter,
                                      mlir::linalg::GenericOp op,
                                      llvm::ArrayRef<LoopGroup> groups,
                                      llvm::ArrayRef<CollapsedOperand> plan);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_COLLAPSELOOPS_H
