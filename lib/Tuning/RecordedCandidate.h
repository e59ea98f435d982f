// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What records say of one candidate. Samples of different machines are never
// mixed, and a run that was cut short is no measurement.

#ifndef DIFFUSE_LIB_TUNING_RECORDEDCANDIDATE_H
#define DIFFUSE_LIB_TUNING_RECORDEDCANDIDATE_H

#include "Diffuse/Records/RecordStore.h"

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
  /// Least time of the runs on this machine that were dropped early.
  std::optional<double> droppedMicros;
};

/// Looks a candidate up; `machine` names this machine.
RecordedCandidate recallCandidate(const RecordStore &records,
                                  const RecordIdentity &identity,
                                  llvm::StringRef machine);

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_RECORDEDCANDIDATE_H
