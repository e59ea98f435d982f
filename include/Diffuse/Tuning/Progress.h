// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tuner tells while it runs. The tuner prints nothing itself.

#ifndef DIFFUSE_TUNING_PROGRESS_H
#define DIFFUSE_TUNING_PROGRESS_H

#include "Diffuse/Support/FailureKind.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace diffuse {

/// State of one task after something happened to it.
struct TaskProgress {
  unsigned task = 0;
  unsigned cluster = 0;
  llvm::StringRef function;
  unsigned measurements = 0;
  /// Digest of the latest candidate's schedule, as its record has it; empty
  /// where there is none.
  llvm::StringRef schedule;
  /// The records answered; nothing was measured.
  bool fromRecords = false;
  /// It was so far behind that it was measured briefly.
  bool isDropped = false;
  /// Outcome of the latest candidate.
  FailureKind failure = FailureKind::None;
  std::optional<double> latestMicros, defaultMicros, bestMicros;
  double secondsElapsed = 0;
  /// Empty where the budget is not in seconds.
  std::optional<double> secondsLeft;
  /// Estimated time of the whole module with the best schedules so far.
  double moduleMicros = 0;
};

/// Hears of every step. The default does nothing.
class ProgressSink {
public:
  virtual ~ProgressSink();
  virtual void measured(const TaskProgress &progress) {}
  /// Something a person should know and that does not stop the tuner.
  virtual void warned(llvm::StringRef message) {}
};

} // namespace diffuse

#endif // DIFFUSE_TUNING_PROGRESS_H
