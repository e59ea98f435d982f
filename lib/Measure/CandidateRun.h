// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens in the forked child: load, run, check, time.

#ifndef DIFFUSE_LIB_MEASURE_CANDIDATERUN_H
#define DIFFUSE_LIB_MEASURE_CANDIDATERUN_H

#include "FaultReport.h"

namespace diffuse {

/// Runs a candidate in this process, which it may bring down; then `note` says
/// how. The process is of no further use afterwards: its limits are lowered,
/// and it stays on `core` (-1 for any).
MeasureResult runCandidate(const MeasureRequest &request, RunBuffers &buffers,
                           FaultNote &note, int core);

} // namespace diffuse

#endif // DIFFUSE_LIB_MEASURE_CANDIDATERUN_H
