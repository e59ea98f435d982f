// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_TUNING_CUTSUBGRAPH_H
#define DIFFUSE_LIB_TUNING_CUTSUBGRAPH_H

#include "Diffuse/Tuning/Tuner.h"

#include <optional>

namespace diffuse {

/// A subgraph that computes some elements of another's answer.
struct CutSubgraph {
  /// A module that holds the function alone.
  std::string text;
  /// The inputs of the other subgraph, then a destination for each tile.
  std::vector<BoundaryArgument> boundary;
  double flops = 0;
};

/// Cuts `tiles` out of the results of `task`; none where that cannot be done.
std::optional<CutSubgraph> cutSubgraph(const TuningTask &task,
                                       llvm::ArrayRef<OutputTile> tiles);

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_CUTSUBGRAPH_H
