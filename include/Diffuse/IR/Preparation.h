// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry computes from its parameters alone. Parameters do not change
// between runs, so neither does that: it is computed once, when a handle is
// created, and every run reads it where it lies.
//
//   func @main(%x: tensor<8x4xf32>, %w: tensor<6x4xf32> {diffuse.parameter}) {
//     %p = call @subgraph_0_transpose(%w, %e0)    // a preparation
//     %r = call @subgraph_1_contraction(%x, %p, %e1)
//     return %r
//   }

#ifndef DIFFUSE_IR_PREPARATION_H
#define DIFFUSE_IR_PREPARATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace diffuse {

/// The preparations among the calls of `entry`, in program order: calls of
/// subgraphs, in the function's first block and not in regions inside it, whose
/// inputs are parameters (tensor arguments marked `diffuse.parameter`,
/// constants, results of other preparations, and reshapes, casts and slices of
/// those) or constant scalars. All extents of what they read and write are
/// static. A subgraph has none; nor has a function that reads no arguments but
/// parameters, for nothing would be left to run.
///
/// The caller must know that `entry` is where runs start: in a function that
/// others call, what is marked as a parameter may differ from call to call.
llvm::SmallVector<mlir::func::CallOp>
collectPreparations(mlir::func::FuncOp entry);

/// How often each call in `entry`, and in the functions of one block that it
/// calls in its first block, is a preparation once these are inlined, as they
/// are in a library.
llvm::MapVector<mlir::Operation *, uint64_t>
countPreparations(mlir::func::FuncOp entry);

/// Whether what stands in the first block of `function` and reads its
/// parameters alone is going to be a preparation, once it is in subgraphs:
/// nobody calls `function`, so runs start there, and they may differ.
bool canPrepare(mlir::func::FuncOp function);

/// True for a subgraph that no run calls, only preparations (`diffuse.calls` is
/// 0): its speed is not worth a measurement.
bool isOnlyPrepared(mlir::func::FuncOp subgraph);

/// Whether `op` gives its only operand in another shape, or a part of it, all
/// extents and offsets being static. Such an op is free, or next to it, and
/// stands on whichever side its reader does.
bool isStaticView(mlir::Operation *op);

} // namespace diffuse

#endif // DIFFUSE_IR_PREPARATION_H
