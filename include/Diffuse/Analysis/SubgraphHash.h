// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three hashes of a subgraph. They are taken over an own serialisation of
// the IR that follows the data flow from the returned values, never over
// printed text, so names, locations, foreign discardable attributes and the
// order of independent ops do not matter.

#ifndef DIFFUSE_ANALYSIS_SUBGRAPHHASH_H
#define DIFFUSE_ANALYSIS_SUBGRAPHHASH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace diffuse {

/// Equal means equal IR with an equal boundary: a schedule of one function
/// applies to the other. 32 hexadecimal digits, as all three.
std::string computeExactHash(mlir::func::FuncOp function);

/// The exact hash without extents: an extent counts only as 0, 1, `?` or
/// something else.
std::string computeStructureHash(mlir::func::FuncOp function);

/// Anchor kind, combiner ops with their signedness, the set of roles of its
/// loops and its element types. A convolution with a unit window and a
/// contraction are one family; batch loops do not count. Needs an anchor.
std::string computeFamilyHash(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_SUBGRAPHHASH_H
