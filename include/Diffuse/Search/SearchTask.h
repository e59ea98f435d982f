// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subgraph as the search sees it, and what was seen of its candidates.

#ifndef DIFFUSE_SEARCH_SEARCHTASK_H
#define DIFFUSE_SEARCH_SEARCHTASK_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "Diffuse/Sketch/SketchLibrary.h"
#include "Diffuse/Target/TargetDescription.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace diffuse {

/// One task: a subgraph, its place in a cluster and the sketches that take it.
struct SearchTask {
  SubgraphDescriptor descriptor;
  /// Tasks of one cluster share sketches and coordinates.
  unsigned cluster = 0;
  bool isRepresentative = false;
  /// What is searched, best first.
  std::vector<BoundSketch> sketches;
  /// What the default schedule is chosen from, where that is something else
  /// than `sketches`; empty where there is no default but plain loops.
  std::optional<std::vector<BoundSketch>> defaultSketches;
  /// Known, so that what records say of them counts, but not searched.
  std::vector<BoundSketch> recordedSketches;

  /// Runs of the subgraph in one run of the module, at least 1.
  double calls() const {
    return static_cast<double>(std::max<int64_t>(1, descriptor.calls));
  }
};

/// What a measurement said of a candidate.
struct Observation {
  unsigned task = 0;
  Candidate candidate;
  /// Empty where the candidate failed, however it failed, or was so far behind
  /// that it was not measured in full.
  std::optional<double> micros;
};

/// A candidate of one task that is worth a measurement.
struct Suggestion {
  unsigned task = 0;
  Candidate candidate;
};

} // namespace diffuse

#endif // DIFFUSE_SEARCH_SEARCHTASK_H
