// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to run compiled code once and what came of it: plain data, so
// that it can travel to another process or machine.

#ifndef DIFFUSE_MEASURE_MEASURER_H
#define DIFFUSE_MEASURE_MEASURER_H

#include "Diffuse/Records/MeasurementRecord.h"
#include "Diffuse/Support/Boundary.h"
#include "Diffuse/Support/FailureKind.h"
#include "Diffuse/Support/OutputTile.h"
#include <optional>
#include <string>
#include <vector>

namespace diffuse {

/// An answer passes where |x - ref| <= absolute + relative * max|ref|, the
/// maximum over the finite values of one destination. Integers must be equal.
/// NaN equals NaN and an infinity equals itself.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// Tolerance c * eps * sqrt(n) for sums of `reductionLength` terms of a type;
/// docs/measuring.md argues the factor c of each mode. Zeros for integers and
/// unknown types.
Tolerance toleranceFor(llvm::StringRef elementType, int64_t reductionLength,
                       Numerics numerics);

/// How long to repeat. A sample is the mean of a batch of calls that lasts at
/// least 50 us.
struct RepeatPolicy {
  /// Sum of the samples' wall times after which no more are taken, once there
  /// are minRepeats. Long runs stop earlier, within their time limit.
  double minSeconds = 0.02;
  unsigned minRepeats = 5;
  unsigned maxRepeats = 50;
  /// A candidate slower than this after warm-up gets one sample and no more;
  /// 0 keeps all.
  double dropAboveMicros = 0;
  /// A candidate of which none of the first minRepeats samples is as fast gets
  /// no more: it has a time, but is no contender. 0 treats all alike.
  double briefAboveMicros = 0;
};

struct RunLimits {
  /// Wall and CPU time of the whole run, filling of buffers included.
  double seconds = 10;
  /// That the code may allocate beyond its buffers and workspace.
  uint64_t memoryBytes = uint64_t(1) << 30;
};

/// A file of outputs, as `writeOutputs` makes it, to compare with.
struct ExpectedOutputs {
  std::string path;
  /// Where not empty, the file holds these elements alone, tile after tile.
  std::vector<OutputTile> tiles;
  /// Of the tolerances: 2 where the file is itself an answer that was allowed
  /// to be off by them.
  double toleranceFactor = 1;
};

struct MeasureRequest {
  /// Which candidate this is; the replay and fake measurers go by it.
  RecordIdentity identity;
  /// Path of the shared library, and the function in it:
  ///   int32_t symbol(void *const *buffers, const int64_t *slots, void *space)
  std::string library;
  std::string symbol;
  uint64_t workspaceBytes = 0;
  std::vector<BoundaryArgument> boundary;
  /// Values of the boundary's dynamic extents, in order.
  std::vector<int64_t> dynamicExtents;
  uint64_t dataSeed = 0;
  /// All must agree; empty where nothing is checked.
  std::vector<ExpectedOutputs> references;
  /// Where outputs are written (whole or not at all) to become a reference;
  /// empty for none.
  std::string writeOutputs;
  /// Of each destination, in order; those that are missing must be equal.
  std::vector<Tolerance> tolerances;
  RepeatPolicy repeats;
  /// Runs and checks the code but takes no samples.
  bool checkOnly = false;
  /// Also measures how fast the machine is before and after the samples, which
  /// are taken again where that moved; costs some milliseconds.
  bool calibrate = false;
  unsigned threads = 1;
  bool flushDenormals = false;
  RunLimits limits;
  /// Estimate of a model, for the fake measurer; 0 for none.
  double predictedMicros = 0;
};

struct MeasureResult : RunOutcome {
  /// Which of the request's references found an answer wrong.
  unsigned wrongReference = 0;
  /// Calls in each sample.
  uint64_t callsPerSample = 0;
  /// Copies of the parameters that the calls went round.
  uint64_t parameterCopies = 0;
  /// Wall time of the whole run.
  double seconds = 0;
  /// The machine's speed moved by over 5 % in every attempt to take samples.
  bool isUnsteady = false;
};

/// Runs artifacts. Failures of candidates are results; a measurer that can no
/// longer measure answers Unmeasurable. Not for use from two threads at once:
/// runs would disturb each other.
class Measurer {
public:
  virtual ~Measurer() = default;
  virtual MeasureResult measure(const MeasureRequest &request) = 0;
  /// Whether times are taken on this machine, so that seconds mean something.
  virtual bool isReal() const { return true; }
  /// The logical core of this machine on which code of one thread is timed;
  /// nothing where it is another machine's, or any.
  virtual std::optional<int> core() { return std::nullopt; }
};

/// Number of the lines between a tuner and its worker. Raised when either side
/// may no longer understand the other.
inline constexpr unsigned kWorkerProtocol = 2;

Json toJson(const MeasureRequest &request);
llvm::Expected<MeasureRequest> parseMeasureRequest(const Json &value);
Json toJson(const MeasureResult &result);
llvm::Expected<MeasureResult> parseMeasureResult(const Json &value);

} // namespace diffuse

#endif // DIFFUSE_MEASURE_MEASURER_H
