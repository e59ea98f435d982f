// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that is fast by itself may be slow inside its network, where it
// gives way to the default one. Recorded, that is honoured by later runs that
// measure no network.

#ifndef DIFFUSE_TUNING_HANDBACKS_H
#define DIFFUSE_TUNING_HANDBACKS_H

#include "Diffuse/Tuning/TuneSubgraphs.h"

namespace diffuse {

/// A schedule that was slower inside the network than the default one.
struct HandBack {
  enum class Reason {
    /// The calls of the subgraph were slower.
    Subgraph,
    /// The network was slower as a whole.
    Network,
    /// An earlier run gave it back, and this one compared no networks.
    Before
  };

  /// Index in TuneResult::tasks.
  size_t task = 0;
  Candidate rejected;
  Reason reason = Reason::Network;
  /// Times of all calls of the subgraph in one run of the network, for the
  /// reason `Subgraph`.
  std::optional<double> tunedMicros, defaultMicros;
};

/// Every schedule of `result` but default ones and plain loops, for a network
/// that is slower with them as a whole.
std::vector<HandBack> handBackAll(const TuneResult &result);

/// Every schedule that an earlier run gave back and this one tried again, for a
/// run that compares no networks after all.
std::vector<HandBack> handBackRetried(const TuneResult &result);

/// Whether the best schedule of a task is one of those, or no faster.
bool isBehindRetried(const TaskOutcome &outcome);

/// Adds a record of each to the store of `result`, with all that its line needs
/// to be understood by itself. It speaks of this machine and of the default
/// schedule that the subgraph has now: on others, or after that changed, or
/// once the schedule is measured again, it says nothing. Returns what went
/// wrong with the file of records, for people.
std::vector<std::string> recordHandBacks(const TuneRequest &request,
                                         const TuneResult &result,
                                         llvm::ArrayRef<HandBack> handBacks);

} // namespace diffuse

#endif // DIFFUSE_TUNING_HANDBACKS_H
