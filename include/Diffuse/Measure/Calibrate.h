// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast this machine is at the moment, by two kernels that never change.

#ifndef DIFFUSE_MEASURE_CALIBRATE_H
#define DIFFUSE_MEASURE_CALIBRATE_H

#include "Diffuse/Records/MeasurementRecord.h"

#include <vector>

namespace diffuse {

/// Runs a chain of dependent multiplications (the clock of the core) and a copy
/// (the memory that cores share), each a few times; the shortest counts. Takes
/// some milliseconds.
class Calibrator {
public:
  Calibrator();
  Calibration run();

private:
  std::vector<char> source;
  std::vector<char> target;
};

/// Whether either speed moved by more than `share` of itself.
bool hasMoved(const Calibration &before, const Calibration &after,
              double share);

} // namespace diffuse

#endif // DIFFUSE_MEASURE_CALIBRATE_H
