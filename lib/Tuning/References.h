// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right answers of each task: its unscheduled lowering, run once a seed.

#ifndef DIFFUSE_LIB_TUNING_REFERENCES_H
#define DIFFUSE_LIB_TUNING_REFERENCES_H

#include "TuningParts.h"

#include <map>

namespace diffuse {

/// Outputs to check against, or why there are none.
struct Reference {
  /// File of the outputs.
  std::string path;
  std::string problem;
  /// The problem stays whatever is tried again: it lies in the subgraph, not in
  /// the surroundings.
  bool isFinal = false;
  /// What making it took.
  double seconds = 0;
};

class References {
public:
  explicit References(const TuningParts &parts) : parts(parts) {}

  /// The outputs of a task on the data of a seed, made where they are not there
  /// yet. A problem that is not final is tried again at the next call.
  const Reference &get(unsigned task, uint64_t seed);

  /// Time of the unscheduled lowering; empty where it cannot be measured.
  std::optional<double> timePlainLoops(unsigned task);

private:
  Reference make(unsigned task, uint64_t seed);
  /// Compiles the unscheduled lowering into `library`.
  CompileOutcome compile(unsigned task, const std::string &library,
                         bool strict);
  /// Seconds that the run of one reference may take.
  double mostSeconds() const;

  TuningParts parts;
  std::map<std::pair<unsigned, uint64_t>, Reference> references;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_REFERENCES_H
