// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the stages of a subgraph are to one another.

#ifndef DIFFUSE_LIB_ANALYSIS_DESCRIBESTAGES_H
#define DIFFUSE_LIB_ANALYSIS_DESCRIBESTAGES_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include <vector>

namespace diffuse {

/// Fills in the work of each stage by itself: what it reads from other stages
/// and writes for them counts as read and written.
void describeStageWork(llvm::ArrayRef<Stage> stages,
                       std::vector<SubgraphDescriptor> &descriptions);

/// Fills in the loops of each stage that one loop around all of them may cut:
/// parallel loops of the last root that are a loop of every stage, because each
/// reader reads what it needs of another stage at the index of that loop alone.
/// The innermost dimension of the result is left whole for vectors.
void describeStageCuts(llvm::ArrayRef<Stage> stages,
                       std::vector<SubgraphDescriptor> &descriptions);

} // namespace diffuse

#endif // DIFFUSE_LIB_ANALYSIS_DESCRIBESTAGES_H
