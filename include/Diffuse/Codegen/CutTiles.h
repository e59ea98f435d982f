// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few elements of a subgraph's answer, for a few elements' worth of work.

#ifndef DIFFUSE_CODEGEN_CUTTILES_H
#define DIFFUSE_CODEGEN_CUTTILES_H

#include "Diffuse/Support/OutputTile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// A module that holds a subgraph function of the name of `function` and with
/// its inputs, whose results are the `tiles` of the results of `function`, in
/// order, each with a destination of its own:
///
///   func @f(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>,
///           %d: tensor<64x48xf32> {diffuse.destination})
///
/// cut at result 0, offsets [60, 0], sizes [4, 16] is
///
///   func @f(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>,
///           %t: tensor<4x16xf32> {diffuse.destination})
///
/// The elements are computed by the same operations in the same order as those
/// of `function`: without a schedule and under strict numerics both have the
/// same bits. What cannot be cut (an op with scattered access, a reshape that
/// takes a tile apart) is computed whole, and tiles are cut from it.
///
/// Fails, with or without a diagnostic, on extents known only at run time, ops
/// with effects, destinations that are read and tiles that lie in no result.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
cutTiles(mlir::func::FuncOp function, llvm::ArrayRef<OutputTile> tiles);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_CUTTILES_H
