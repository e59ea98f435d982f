// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the numerics mode allows, as flags on each operation, so that LLVM needs
// no global switch and flags that the input brings stay.

#ifndef DIFFUSE_LIB_CODEGEN_APPLYNUMERICS_H
#define DIFFUSE_LIB_CODEGEN_APPLYNUMERICS_H

#include "Diffuse/Support/Numerics.h"

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Under `strict` fused multiply-adds that the vector lowering made are split
/// again. Otherwise reassociation and contraction are allowed everywhere, and
/// elementary functions of vectors become polynomials of at most 2 ulp. NaN,
/// infinities and signed zeros hold in every mode.
void applyNumerics(mlir::ModuleOp module, Numerics numerics, bool hasFma);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_APPLYNUMERICS_H
