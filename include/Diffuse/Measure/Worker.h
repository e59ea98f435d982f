// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worker's side of measuring: what tools/diffuse-measure is made of.

#ifndef DIFFUSE_MEASURE_WORKER_H
#define DIFFUSE_MEASURE_WORKER_H

#include "Diffuse/Measure/Measurer.h"

#include <memory>

namespace diffuse {

class RunBuffers;

/// Measures in a forked child of this very process, which must have one thread
/// only. The data of the last request is kept: candidates for one subgraph come
/// in a row and share it.
class ForkMeasurer : public Measurer {
public:
  ForkMeasurer();
  ~ForkMeasurer() override;
  MeasureResult measure(const MeasureRequest &request) override;

private:
  std::unique_ptr<RunBuffers> buffers;
};

/// Reads jobs as JSON lines from descriptor `input` and answers each on
/// `output`, until the input ends:
///   {"job": 7, "request": {...}}  ->  {"job": 7, "result": {...}}
/// The first line it writes is {"worker": "diffuse-measure", "protocol": 1}. A
/// line that is no job is answered by {"error": "..."}. Returns an exit status.
int runWorker(int input, int output);

} // namespace diffuse

#endif // DIFFUSE_MEASURE_WORKER_H
