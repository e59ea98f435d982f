// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   g = x a                          [m][n]
//   y = f(g) * (x b)                 [m][n]     gated
//   o = y c                          [m][d]     sums over n

#ifndef DIFFUSE_LIB_GRAPH_GATEDPATTERN_H
#define DIFFUSE_LIB_GRAPH_GATEDPATTERN_H

#include "GroupLinks.h"

namespace diffuse {

/// The ways to join group `gated`, a contraction, to what is around it, largest
/// first: a contraction of the same rows, whose columns the epilogue of `gated`
/// reads, comes before it, and behind it, or not, the contraction that alone
/// reads it and sums over these columns.
llvm::SmallVector<GroupNumbers, 2> matchGated(const GroupLinks &links,
                                              unsigned gated);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_GATEDPATTERN_H
