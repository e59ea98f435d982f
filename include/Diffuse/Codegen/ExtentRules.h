// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the extents of a function's arguments must satisfy, as the ops on them
// take it for granted:
//
//   func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x8xf32>, ...) {
//     linalg.matmul ins(%a, %b ...)
//
// reads out of bounds unless extent 0 of %b equals extent 1 of %a.

#ifndef DIFFUSE_CODEGEN_EXTENTRULES_H
#define DIFFUSE_CODEGEN_EXTENTRULES_H

#include "Diffuse/Support/Boundary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace diffuse {

/// `times * s[slot]` stands in `relation` to `wanted`. Slots are those of the
/// C interface: one for each scalar and each dynamic extent, in order of
/// arguments, destinations left out.
struct ExtentRule {
  enum class Relation { Equal, AtLeast, AtMost };
  Relation relation = Relation::Equal;
  unsigned argument = 0;
  /// -1: the argument is a scalar, and its value is meant.
  int64_t dim = -1;
  unsigned slot = 0;
  int64_t times = 1;
  /// Whether it can be checked before there are inputs.
  bool onlyParameters = false;
  /// An expression of C over the array `s`; rt_floor, rt_ceil and rt_mod are
  /// the division of mathematics.
  std::string wanted;
  /// The same for people; empty where `wanted` is a number.
  std::string reason;
};

/// The rules of `entry`, whose calls of subgraphs are looked into. Ops below
/// control flow, which may not run, and extents that are computed from data
/// give none. `boundary` describes the arguments of `entry`.
std::vector<ExtentRule>
findExtentRules(mlir::func::FuncOp entry,
                llvm::ArrayRef<BoundaryArgument> boundary);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_EXTENTRULES_H
