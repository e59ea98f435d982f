// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far generated code may depart from the order of operations in the
// source. The mode is part of every record's identity.

#ifndef DIFFUSE_SUPPORT_NUMERICS_H
#define DIFFUSE_SUPPORT_NUMERICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace diffuse {

enum class Numerics {
  /// No reassociation, no contraction, the accuracy of libm.
  Strict,
  /// Reassociated sums, fused multiply-add, polynomials of at most 2 ulp.
  Default,
  /// Transforms that lose more digits, such as Winograd F(4,3).
  Fast
};

/// `strict`, `default` or `fast`.
llvm::StringRef printNumerics(Numerics numerics);

/// Reads what printNumerics writes; fails on any other word, naming the three.
llvm::Expected<Numerics> parseNumerics(llvm::StringRef word);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_NUMERICS_H
