// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the function of a group takes from outside, and what it makes itself.

#ifndef DIFFUSE_LIB_GRAPH_SUBGRAPHINPUTS_H
#define DIFFUSE_LIB_GRAPH_SUBGRAPHINPUTS_H

#include "GroupOps.h"
#include "WriteIntoPads.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace diffuse {

/// How an init comes into being inside the function.
enum class InitKind {
  /// What it holds does not matter.
  Fresh,
  /// A producer that is repeated here.
  Repeated,
  /// It holds data.
  Tied
};

InitKind classifyInit(mlir::OpOperand &init);

/// Whether the op writes its result into this operand.
bool isInit(mlir::OpOperand &operand);

/// A tensor whose elements nobody reads, of known size: a pooling's window.
bool isShapeOnly(mlir::Value value);

/// The member of the group that makes `operand`, or null.
mlir::Operation *getProducer(const OpGroup &group, mlir::OpOperand &operand);

/// Calls `visit` on each value from outside that the regions of `op` use.
void walkCaptured(mlir::Operation *op,
                  llvm::function_ref<void(mlir::Value)> visit);

/// The values from outside that become arguments, in the order in which the
/// ops, one stage after the other, from the root along the flow of data, use
/// them.
llvm::SetVector<mlir::Value> collectInputs(const OpGroup &group,
                                           const WrittenPads &written);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_SUBGRAPHINPUTS_H
