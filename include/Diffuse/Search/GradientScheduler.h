// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which task the next round of measurements goes to, by how fast the latency of
// the module is expected to fall (Zheng et al., "Ansor", OSDI 2020, section 6).

#ifndef DIFFUSE_SEARCH_GRADIENTSCHEDULER_H
#define DIFFUSE_SEARCH_GRADIENTSCHEDULER_H

#include "Diffuse/Search/SearchTask.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace diffuse {

class GradientScheduler {
public:
  explicit GradientScheduler(llvm::ArrayRef<SearchTask> tasks);

  /// The task of the next round: each task once, in order, then the one whose
  /// gain by another round is expected to be largest. Nothing where all tasks
  /// are closed.
  std::optional<unsigned> pick() const;

  /// A round of `task` ended; `bestMicros` is its best latency so far, or
  /// nothing where no candidate of it ever worked.
  void endRound(unsigned task, std::optional<double> bestMicros);

  /// No candidate of `task` is left.
  void close(unsigned task) { closed[task] = true; }

private:
  /// Microseconds of the module that one more round of `task` should save.
  double expectedGain(unsigned task) const;

  llvm::ArrayRef<SearchTask> tasks;
  /// Best latency after each round, by task; infinite while nothing worked.
  std::vector<std::vector<double>> history;
  std::vector<bool> closed;
};

} // namespace diffuse

#endif // DIFFUSE_SEARCH_GRADIENTSCHEDULER_H
