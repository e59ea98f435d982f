// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   s = q k                          [b][m][n]     scores
//   h = max s,  e = exp(s - h),  t = sum e,  p = e / t
//   o = p v                          [b][m][d]     sums over n

#ifndef DIFFUSE_LIB_GRAPH_ATTENTIONPATTERN_H
#define DIFFUSE_LIB_GRAPH_ATTENTIONPATTERN_H

#include "GroupLinks.h"

namespace diffuse {

/// The groups of an attention whose scores group `scores` computes, in the
/// order of the block, the contraction that sums the weighted values last.
///
/// In between stand groups that walk the batches and rows of the scores in
/// their order, outside of the columns, elementwise or reducing the columns; at
/// least one reduces them, and one takes exponentials. The last contraction
/// sums over the columns and over nothing else. There is more than one row.
/// Everything that is read of a group is read inside the pattern.
std::optional<GroupNumbers> matchAttention(const GroupLinks &links,
                                           unsigned scores);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_ATTENTIONPATTERN_H
