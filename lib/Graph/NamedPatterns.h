// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups that are better computed together, row by row: what one leaves in the
// cache the next reads.

#ifndef DIFFUSE_LIB_GRAPH_NAMEDPATTERNS_H
#define DIFFUSE_LIB_GRAPH_NAMEDPATTERNS_H

#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "GroupOps.h"
#include "ParameterValues.h"

namespace diffuse {

/// Whether `group` may be a stage of a pattern, whatever the others are: the
/// last one, whose result goes into memory, or one before.
bool mayBeStage(const OpGroup &group, bool isLast, ParameterValues &parameters);

/// Joins the groups of one block that form a named pattern, all or where that
/// pays: the last of them stays in `groups`, with the others before it. What
/// reads a result of another stage reads it without a reshape in between.
/// Values do not change.
///
/// depthwise_pointwise: a depthwise convolution, and the contraction over its
/// channels that alone reads it (SeparablePattern.h).
///
/// attention: a contraction, the parts of a softmax over its columns, and a
/// contraction that sums over these columns (AttentionPattern.h).
///
/// gated_mlp: two contractions of the same rows, the later of which multiplies
/// its columns, or the like, with those of the other, and the contraction that
/// sums over these columns where it alone reads them and can be joined
/// (GatedPattern.h).
void joinNamedPatterns(llvm::SmallVectorImpl<OpGroup> &groups,
                       ParameterValues &parameters, PatternJoining joining);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_NAMEDPATTERNS_H
