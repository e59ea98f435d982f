// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that is fast by itself may be slow inside its network, where it
// gives way to the default one. Recorded, that is honoured by later runs that
// measure no network, until one that does finds it no slower.

#ifndef DIFFUSE_TUNING_HANDBACKS_H
#define DIFFUSE_TUNING_HANDBACKS_H

#include "Diffuse/Tuning/TuneSubgraphs.h"

namespace diffuse {

/// What a comparison inside the network said of a schedule.
struct HandBack {
  enum class Reason {
    /// The calls of the subgraph were slower than by default.
    Subgraph,
    /// The network was slower as a whole.
    Network,
    /// Neither was: what was said before is withdrawn.
    Withdrawn
  };

  /// Index in TuneResult::tasks.
  size_t task = 0;
  Candidate candidate;
  Reason reason = Reason::Network;
  /// Times of all calls of the subgraph in one run of the network, for the
  /// reason `Subgraph`.
  std::optional<double> tunedMicros, defaultMicros;
};

/// Every schedule of `result` but default ones and plain loops, for a network
/// that is slower with them as a whole.
std::vector<HandBack> handBackAll(const TuneResult &result);

/// The schedules of these subgraphs, which were not slower than default ones,
/// where an earlier run gave one of the subgraph back.
std::vector<HandBack> withdrawAll(const TuneResult &result,
                                  llvm::ArrayRef<std::string> subgraphs);

/// Whether the best schedule of a task was given back by an earlier run, or is
/// no faster than one that was and was not compared itself.
bool isBehindRetried(const TaskOutcome &outcome);

/// Gives default schedules back to all such tasks, since no comparison speaks
/// for theirs; the subgraphs that had others.
std::vector<std::string> keepGivenBack(TuneResult &result);

/// Adds a record of each to the store of `result`, with all that its line needs
/// to be understood by itself. It speaks of this machine and of the default
/// schedule that the subgraph has now: on others, or after that changed, or
/// once a later line speaks of the schedule, it says nothing. Returns why the
/// file of records does not hold them, for people, where it does not.
std::vector<std::string> recordHandBacks(const TuneRequest &request,
                                         const TuneResult &result,
                                         llvm::ArrayRef<HandBack> handBacks);

} // namespace diffuse

#endif // DIFFUSE_TUNING_HANDBACKS_H
