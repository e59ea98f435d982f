// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry computes from its parameters alone moves to a function of its
// own, which runs once:
//
//   func @main(%x, %w {diffuse.parameter}) {
//     %p = call @pack(%w, %e0)
//     %r = call @product(%x, %p, %e1)
//     return %r
//   }
//
// becomes
//
//   func @main_prepare(%w {diffuse.parameter}) {
//     %p = call @pack(%w, %e0)
//     return %p
//   }
//   func @main(%x, %w {diffuse.parameter}, %p) {
//     %r = call @product(%x, %p, %e1)
//     return %r
//   }

#ifndef DIFFUSE_LIB_CODEGEN_SPLITPREPARATIONS_H
#define DIFFUSE_LIB_CODEGEN_SPLITPREPARATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Moves the preparations of `entry` (Diffuse/IR/Preparation.h), on tensors, to
/// a new function beside it. That takes the shaped parameters of `entry`, in
/// their order, and returns what the rest of the entry reads; `entry` gets an
/// argument for each of these results, after its own inputs and before its
/// destinations. Equal preparations are
/// done once, and those that nothing reads not at all. Returns null where
/// nothing is left to prepare.
mlir::func::FuncOp splitPreparations(mlir::func::FuncOp entry);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_SPLITPREPARATIONS_H
