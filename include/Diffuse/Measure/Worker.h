// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worker's side of measuring: what tools/diffuse-measure is made of.

#ifndef DIFFUSE_MEASURE_WORKER_H
#define DIFFUSE_MEASURE_WORKER_H

#include "Diffuse/Measure/Measurer.h"
#include "Diffuse/Measure/ReservedCore.h"

#include <memory>

namespace diffuse {

class RunBuffers;

/// Measures in a forked child of this very process, which must have one thread
/// only, on a core of its own where one is free. Data is kept between requests:
/// candidates for one subgraph share it, and a search goes back and forth
/// between subgraphs.
class ForkMeasurer : public Measurer {
public:
  static constexpr uint64_t kKeptBytes = uint64_t(1) << 30;

  /// Keeps at most so many bytes of data, and in any case those of the last
  /// request. A run is stopped when nobody reads from the descriptor `answers`
  /// any more (-1 for none).
  explicit ForkMeasurer(uint64_t keptBytes = kKeptBytes, int answers = -1);
  ~ForkMeasurer() override;
  MeasureResult measure(const MeasureRequest &request) override;
  std::optional<int> core() override;

private:
  /// Buffers for a request, at the end of `kept`.
  llvm::Expected<RunBuffers *> prepare(const MeasureRequest &request);

  uint64_t keptBytes;
  int answers;
  ReservedCore reserved;
  /// The least recently used first.
  std::vector<std::unique_ptr<RunBuffers>> kept;
};

/// Reads jobs as JSON lines from descriptor `input` and answers each on
/// `output`, until the input ends:
///   {"job": 7, "request": {...}}  ->  {"job": 7, "result": {...}}
/// The first line it writes names the worker, its version, its protocols and
/// the core that code of one thread is timed on. A line that is no job is
/// answered by {"error": "..."}. Returns an exit status.
int runWorker(int input, int output);

} // namespace diffuse

#endif // DIFFUSE_MEASURE_WORKER_H
