// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, tanh and erf of vectors of f32 as polynomials. libm has no vectors, and
// upstream's polynomials are off by 4 ulp (tanh, erf), lose the sign of zero
// (erf) or flush small results to zero (exp).

#ifndef DIFFUSE_LIB_CODEGEN_APPROXIMATEMATH_H
#define DIFFUSE_LIB_CODEGEN_APPROXIMATEMATH_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Replaces math.exp, math.tanh and math.erf of vectors of f32 in `module` by
/// arithmetic that is off by at most 2 ulp, also where results are denormal,
/// and keeps NaN, infinities and signed zeros. Fused multiply-adds are used
/// where `hasFma`; elsewhere they would be calls. The arithmetic carries no
/// fast-math flags: reassociating it would lose the digits it works for.
void approximateVectorMath(mlir::ModuleOp module, bool hasFma);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_APPROXIMATEMATH_H
