// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions from and to floats of eight bits. LLVM has no such types, and
// what MLIR offers for them calls a library that compiled models do not need.

#ifndef DIFFUSE_LIB_CODEGEN_EXPANDSMALLFLOATS_H
#define DIFFUSE_LIB_CODEGEN_EXPANDSMALLFLOATS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <array>

namespace diffuse {

/// The types whose conversions expandSmallFloats knows, as they are spelled.
inline constexpr std::array<llvm::StringRef, 6> kSmallFloats = {
    "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E3M4"};

/// Replaces arith.extf and arith.truncf between kSmallFloats and f32 or f64,
/// scalars and vectors, by arithmetic on their bits. Values are those of the
/// ops' folders: rounded once, to nearest even; NaN, infinities and signed
/// zeros become what the type has for them.
void expandSmallFloats(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_EXPANDSMALLFLOATS_H
