// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/Snapshots.h"

using namespace diffuse;

double SnapshotMarks::positionOf(const TuningState &state) const {
  return countsSeconds ? state.seconds : state.measurements;
}

void SnapshotMarks::tell() {
  std::string name = std::to_string(mark) + (countsSeconds ? "s" : "");
  sink({std::move(name), *latest});
  mark *= 2;
}

void SnapshotMarks::advance(TuningState state) {
  while (latest && static_cast<double>(mark) < positionOf(state))
    tell();
  latest = std::move(state);
}

void SnapshotMarks::finish() {
  while (latest && static_cast<double>(mark) <= positionOf(*latest))
    tell();
}
