// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens in the forked child: load, run, check, time.

#ifndef DIFFUSE_LIB_MEASURE_CANDIDATERUN_H
#define DIFFUSE_LIB_MEASURE_CANDIDATERUN_H

#include "FaultReport.h"

namespace diffuse {

/// Runs a candidate in this process, which it may bring down; then `note` says
/// how. The process is of no further use afterwards: its limits are lowered.
MeasureResult runCandidate(const MeasureRequest &request, RunBuffers &buffers,
                           FaultNote &note);

} // namespace diffuse

#endif // DIFFUSE_LIB_MEASURE_CANDIDATERUN_H
