// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worker's side of measuring: what tools/diffuse-measure is made of.

#ifndef DIFFUSE_MEASURE_WORKER_H
#define DIFFUSE_MEASURE_WORKER_H

#include "Diffuse/Measure/Measurer.h"

namespace diffuse {

/// Runs one request in a forked child under its limits. The process must have
/// one thread only.
MeasureResult measureInChild(const MeasureRequest &request);

/// Reads jobs as JSON lines from descriptor `input` and answers each on
/// `output`, until the input ends:
///   {"job": 7, "request": {...}}  ->  {"job": 7, "result": {...}}
/// The first line it writes is {"worker": "diffuse-measure", "protocol": 1}. A
/// line that is no job is answered by {"error": "..."}. Returns an exit status.
int runWorker(int input, int output);

} // namespace diffuse

#endif // DIFFUSE_MEASURE_WORKER_H
