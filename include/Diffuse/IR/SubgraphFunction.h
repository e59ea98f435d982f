// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subgraph functions: which function is one, what its arguments mean, and the
// marked ops inside. A subgraph function looks like
//
//   func.func private @NAME(%a: tensor<8x4xf32>,
//                           %w: tensor<4x6xf32> {diffuse.parameter},
//                           %d: tensor<8x6xf32> {diffuse.destination})
//       -> tensor<8x6xf32> attributes {diffuse.subgraph, no_inline} {
//     ...
//     %m = bufferization.materialize_in_destination %r in %d : ...
//     return %m : tensor<8x6xf32>
//   }
//
// Inputs and scalars come first, in order of first use, then one destination
// for each result, in order of the results.

#ifndef DIFFUSE_IR_SUBGRAPHFUNCTION_H
#define DIFFUSE_IR_SUBGRAPHFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace diffuse {

/// True for a function with a body that carries `diffuse.subgraph`.
bool isSubgraph(mlir::func::FuncOp function);

/// The subgraph functions at the top level of `module`, in order.
llvm::SmallVector<mlir::func::FuncOp> collectSubgraphs(mlir::ModuleOp module);

/// True for an argument that is written, never read, and returned.
bool isDestination(mlir::func::FuncOp function, unsigned argument);

/// True for an argument that does not change between runs of the model.
bool isParameter(mlir::func::FuncOp function, unsigned argument);

/// Number of arguments before the first destination.
unsigned countInputs(mlir::func::FuncOp function);

/// The op that carries `diffuse.anchor`, of several stages that of the last;
/// or null.
mlir::Operation *findAnchor(mlir::func::FuncOp function);

/// The op whose results are returned (`diffuse.root`, of several stages that of
/// the last), or null.
mlir::Operation *findRoot(mlir::func::FuncOp function);

/// Ops with an anchor and a root of their own. Most subgraphs have one stage;
/// those of a named pattern have several, each of which reads what the ones
/// before it computed.
struct Stage {
  /// Null where nothing has the mark.
  mlir::Operation *anchor = nullptr, *root = nullptr;
  /// The ops of the stage, in the order of the body; of a subgraph of one stage
  /// all ops.
  llvm::SmallVector<mlir::Operation *> ops;
};

/// The number of the stage that `op` is part of; 0 where it does not say.
int64_t getStage(mlir::Operation *op);

/// The stages of a subgraph that is not scheduled yet, in the order of the data
/// flow; at least one.
llvm::SmallVector<Stage> collectStages(mlir::func::FuncOp function);

/// How often one run of the entry calls the subgraph; 1 where it is unknown.
int64_t getCalls(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_IR_SUBGRAPHFUNCTION_H
