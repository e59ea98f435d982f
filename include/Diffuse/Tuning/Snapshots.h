// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a run had come after 1, 2, 4, 8, ... seconds or measurements: enough
// to plot what more time brings, at a cost that hardly grows with it.

#ifndef DIFFUSE_TUNING_SNAPSHOTS_H
#define DIFFUSE_TUNING_SNAPSHOTS_H

#include "Diffuse/Tuning/Tuner.h"

namespace diffuse {

/// A run at one of its marks.
struct Snapshot {
  /// `4s` after four seconds, `4` after four measurements.
  std::string name;
  TuningState state;
};

/// Hears of every state of a run and tells those at the marks. Marks are powers
/// of two: seconds where the budget is in seconds, else measurements.
class SnapshotMarks {
public:
  using Sink = std::function<void(const Snapshot &)>;
  SnapshotMarks(const Budget &budget, Sink sink)
      : countsSeconds(budget.seconds.has_value()), sink(std::move(sink)) {}

  /// States come in order. What was so at a mark is known, and told, when a
  /// state comes that lies beyond it.
  void advance(TuningState state);
  /// The last state stands at the marks that it has reached.
  void finish();

private:
  double positionOf(const TuningState &state) const;
  void tell();

  bool countsSeconds;
  Sink sink;
  std::optional<TuningState> latest;
  uint64_t mark = 1;
};

} // namespace diffuse

#endif // DIFFUSE_TUNING_SNAPSHOTS_H
