// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the numerics mode allows, as flags on each operation, so that LLVM needs
// no global switch and flags that the input brings stay.

#ifndef DIFFUSE_LIB_CODEGEN_APPLYNUMERICS_H
#define DIFFUSE_LIB_CODEGEN_APPLYNUMERICS_H

#include "Diffuse/Support/Numerics.h"

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Lets the sums of linalg ops be added up in any order, unless `numerics` is
/// strict. Before they become loops, in which a sum is no longer told from an
/// addition.
void allowSumReordering(mlir::ModuleOp module, Numerics numerics);

/// Under `strict` fused multiply-adds that the vector lowering made are split
/// again. Otherwise additions and multiplications may be contracted, sums over
/// lanes reassociated, and elementary functions of vectors become polynomials
/// of at most 2 ulp. Casts, divisions, comparisons and elementary functions get
/// no flag in any mode: NaN, infinities and roundings hold, and signed zeros
/// but in one place: a sum of nothing but negative zeros may be +0.0, because
/// partial sums start there.
void applyNumerics(mlir::ModuleOp module, Numerics numerics, bool hasFma);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_APPLYNUMERICS_H
