// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of whole runs, and of each call inside them.

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_BENCH_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_BENCH_H

#include "Diffuse/Support/Json.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace diffuse {

/// Microseconds, one for each run.
using Samples = std::vector<double>;

/// Repeats `run` for `seconds` after a warm-up, at least three times. Fails
/// with the first run that does.
llvm::Expected<Samples> sampleRuns(llvm::function_ref<llvm::Error()> run,
                                   double seconds);

/// The sample below which `share` of them lie.
double percentile(Samples samples, double share);

/// Times of each call of a model, collected by its profile callback.
class CallProfile {
public:
  explicit CallProfile(llvm::ArrayRef<std::string> calls)
      : names(calls.begin(), calls.end()), micros(calls.size()) {}

  void add(int32_t call, double callMicros);
  /// Forgets what was collected, after a warm-up.
  void clear();
  /// [{"call": 0, "subgraph": "...", "median_us": ..., "min_us": ...,
  /// "runs": ...}, ...] in order of calls.
  Json toJson() const;
  /// A table, slowest first, with shares of the sum.
  std::string table() const;

private:
  std::vector<std::string> names;
  std::vector<Samples> micros;
};

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_BENCH_H
