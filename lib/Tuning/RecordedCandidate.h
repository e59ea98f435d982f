// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What records say of one candidate. Samples of different machines are never
// mixed, and a run that was cut short is no measurement.

#ifndef DIFFUSE_LIB_TUNING_RECORDEDCANDIDATE_H
#define DIFFUSE_LIB_TUNING_RECORDEDCANDIDATE_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "Diffuse/Records/RecordStore.h"
#include "Diffuse/Sketch/Candidate.h"

#include <optional>
#include <string>

namespace diffuse {

struct RecordedCandidate {
  /// Whether any record counts.
  bool isKnown = false;
  /// The first failure, on whatever machine: its answers cannot be trusted.
  FailureKind failure = FailureKind::None;
  std::string message;
  /// Latency of all full measurements on this machine.
  std::optional<double> hereMicros;
  /// Least latency over other machines, each by itself.
  std::optional<double> elsewhereMicros;
  /// Latency on this machine of a candidate that failed by being slower inside
  /// its network; `hereMicros` is empty then.
  std::optional<double> givenBackMicros;
  /// When it was last compared inside its network on this machine it was not
  /// slower than the default schedule.
  bool isProven = false;
  /// Least time of the runs on this machine that were dropped early.
  std::optional<double> droppedMicros;
};

/// Looks a candidate up; `machine` names this machine, `defaultSchedule` is the
/// digest of the subgraph's default schedule now. That the candidate was slower
/// inside a network than that one on this machine is a failure; on another
/// machine it takes the times of that machine away. Either holds until that
/// machine has compared the candidate again. Successes that prove nothing
/// (withoutRefuted) do not count.
RecordedCandidate recallCandidate(const RecordStore &records,
                                  const RecordIdentity &identity,
                                  llvm::StringRef machine,
                                  llvm::StringRef defaultSchedule);

/// A record of a candidate with all but what came of it.
MeasurementRecord newRecord(const SubgraphDescriptor &descriptor,
                            RecordIdentity identity, const Candidate &candidate,
                            std::string machine, uint64_t seed);

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_RECORDEDCANDIDATE_H
