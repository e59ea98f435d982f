// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What came of running a candidate, as workers report it and records keep it.

#ifndef DIFFUSE_RECORDS_RUNOUTCOME_H
#define DIFFUSE_RECORDS_RUNOUTCOME_H

#include "Diffuse/Support/FailureKind.h"
#include "Diffuse/Support/Json.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace diffuse {

class JsonFields;

/// Speed of the machine around a measurement; zeros where it was not taken.
struct Calibration {
  double computeMicros = 0;
  double copyMicros = 0;
};

/// One element of an answer.
struct AnswerElement {
  /// Which destination, counted among the destinations.
  unsigned result = 0;
  std::vector<int64_t> position;
};

/// For messages: `[0, 12, 3]`.
std::string printPosition(llvm::ArrayRef<int64_t> position);

struct RunOutcome {
  FailureKind failure = FailureKind::None;
  /// For people: why it failed, or empty.
  std::string message;
  /// Latencies in order of taking; empty for failures.
  std::vector<double> samplesMicros;
  /// So far behind that one sample was taken: a bound, no measurement.
  bool isDropped = false;
  /// Largest |x - ref| / max|ref| over the destinations; 0 where none was
  /// checked.
  double maxRelativeError = 0;
  /// The first one that is wrong, where an answer is and one is known.
  std::optional<AnswerElement> wrongElement;
  Calibration calibration;
  /// All cores that the run could have to itself were taken by other measuring
  /// processes, so it shared one.
  bool sharedCore = false;
  /// Cores could not be reserved: whether it shared one is not known.
  bool unreservedCore = false;

  bool succeeded() const { return failure == FailureKind::None; }
};

/// Sets the members of `json` that say it; those that are empty or zero are
/// left out.
void setOutcome(Json &json, const RunOutcome &outcome);

/// Reads what setOutcome wrote.
void readOutcome(JsonFields &fields, RunOutcome &outcome);

/// A success without a time, where there should be one, or with a time that no
/// clock gives would win every comparison: it is refused.
llvm::Error checkSamples(const RunOutcome &outcome, bool needsTimes);

} // namespace diffuse

#endif // DIFFUSE_RECORDS_RUNOUTCOME_H
