// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a candidate to what happened to it: looked up, or instantiated,
// compiled, measured against the reference, and recorded.

#ifndef DIFFUSE_LIB_TUNING_EVALUATOR_H
#define DIFFUSE_LIB_TUNING_EVALUATOR_H

#include "RecordedCandidate.h"
#include "References.h"

#include <string>
#include <vector>

namespace diffuse {

/// What is known of one candidate after its evaluation.
struct Evaluation {
  FailureKind failure = FailureKind::None;
  std::string message;
  /// Digest of the schedule.
  std::string schedule;
  /// Set where it succeeded and was measured in full.
  std::optional<double> micros;
  /// So far behind that it was measured briefly: nothing is to be ranked by it.
  std::optional<double> droppedMicros;
  /// The records knew it; nothing was measured.
  bool fromRecords = false;
  /// Unmeasurable, and trying again will not help.
  bool isFinal = false;
  /// The machine's speed moved while it was measured.
  bool isUnsteady = false;
  /// It was measured on a core that another process measures on.
  bool sharedCore = false;
};

/// How to measure.
struct Effort {
  /// A candidate slower than this is measured briefly; 0 measures all alike.
  double dropAboveMicros = 0;
  /// A candidate slower than this is measured less often; 0 measures all alike.
  double briefAboveMicros = 0;
  /// The records are not asked.
  bool isAfresh = false;
  /// The machine's speed is watched; for decisions between good candidates.
  bool calibrate = false;
};

class Evaluator {
public:
  explicit Evaluator(const TuningParts &parts)
      : parts(parts), references(parts) {}

  Evaluation evaluate(unsigned task, const Candidate &candidate,
                      const Effort &effort);

  /// Runs a candidate that passed on other data, taking no times. A failure is
  /// recorded.
  Evaluation checkOnSecondSeed(unsigned task, const Candidate &candidate);

  /// What the records hold of a candidate as its sketch is now.
  RecordedCandidate recall(unsigned task, const Candidate &candidate) const;

  std::optional<double> timePlainLoops(unsigned task) {
    return references.timePlainLoops(task);
  }
  /// Seconds that the reference of the second seed will take, about.
  double referenceSeconds(unsigned task) {
    return references.get(task, kDataSeed).seconds;
  }

private:
  MeasurementRecord recordFor(unsigned task, const Candidate &candidate,
                              const std::string &schedule) const;
  /// Compiles the candidate and runs it as `adapt` has the request; fills
  /// failure, samples and times of `record`.
  MeasureResult run(unsigned task, const Candidate &candidate,
                    const std::string &schedule, uint64_t seed,
                    llvm::function_ref<void(MeasureRequest &)> adapt,
                    MeasurementRecord &record);
  void append(unsigned task, const MeasurementRecord &record);

  TuningParts parts;
  References references;
};

/// Text of the schedule of a candidate, the same for every subgraph it is
/// applied to; empty where it cannot be instantiated.
std::string scheduleText(const SearchTask &task, const Candidate &candidate);

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_EVALUATOR_H
