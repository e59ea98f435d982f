// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop: records are applied, default schedules measured, candidates
// suggested, compiled, measured, recorded and observed until the budget is
// spent or nothing promises a gain.

#ifndef DIFFUSE_TUNING_TUNER_H
#define DIFFUSE_TUNING_TUNER_H

#include "Diffuse/Measure/Measurer.h"
#include "Diffuse/Records/RecordStore.h"
#include "Diffuse/Search/SearchStrategy.h"
#include "Diffuse/Tuning/Budget.h"
#include "Diffuse/Tuning/CandidateCompiler.h"
#include "Diffuse/Tuning/Progress.h"

#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <map>
#include <set>

namespace diffuse {

/// A subgraph as the tuner needs it: what to search and what to run.
struct TuningTask {
  /// Symbol of the function in the module.
  std::string function;
  /// A module that holds the function alone.
  std::string text;
  std::vector<BoundaryArgument> boundary;
  /// Of each destination, for its tolerance; what is missing counts as 1.
  std::vector<int64_t> reductionLengths;
};

/// What tuning found for one task.
struct TaskOutcome {
  /// The candidate to ship: the fastest that was measured and right, else the
  /// default schedule. Empty, which means plain loops, where the default
  /// schedule failed and no other passed.
  std::optional<Candidate> best;
  /// How the default schedule failed its check, where it did.
  std::optional<FailureKind> defaultFailure;
  /// Measured times; empty where no measurement succeeded. `bestMicros` is of
  /// plain loops where `best` is empty and they were timed.
  std::optional<double> defaultMicros, bestMicros, plainMicros;
  /// Measurements made in this run, failures included.
  unsigned measurements = 0;
  /// Measurements answered by the records.
  unsigned fromRecords = 0;
  std::map<FailureKind, unsigned> failures;
  /// What records say was slower inside its network on this machine and this
  /// run tried again all the same, with its recorded time.
  std::map<Candidate, double> triedAgain;
  /// What records say was compared inside its network on this machine and was
  /// not slower than the default schedule.
  std::set<Candidate> proven;
  /// Why answers could not be checked; such a task is searched no further.
  std::string unverified;
};

/// How far a run has come.
struct TuningState {
  /// Since the start, by the clock of the run.
  double seconds = 0;
  unsigned measurements = 0;
  /// Estimated time of the whole module with the best schedules so far.
  double moduleMicros = 0;
  std::vector<TaskOutcome> tasks;
};

struct TunerOptions {
  Budget budget;
  std::string strategy = "diffusion";
  uint64_t seed = 0;
  unsigned threads = 1;
  Numerics numerics = Numerics::Default;
  bool flushDenormals = false;
  /// What earlier runs found slower inside the network competes again, since
  /// networks will be compared after this run; otherwise it counts as failed.
  bool retriesHandBacks = false;
  /// Folder for the libraries of candidates and the reference outputs.
  std::string scratch;
  /// Expected gain of the whole module, as a share, below which tuning stops.
  double stopGain = 0.005;
  /// Seconds since the tuner started; a fake clock makes tests deterministic.
  std::function<double()> clock;
  /// True once the user wants to stop.
  std::function<bool()> interrupted;
  /// Hears how far the run is, at its start, after every step and at its end.
  std::function<void(const TuningState &)> advanced;
};

struct TuningOutcome {
  std::vector<TaskOutcome> tasks;
  unsigned measurements = 0;
  double seconds = 0;
  /// Of these, spent on the answers that candidates are compared with.
  double referenceSeconds = 0;
  bool wasInterrupted = false;
  /// Some measurement shared its core with another process that measures.
  bool sharedCore = false;
  /// Cores could not be reserved, so that is not known of some.
  bool unreservedCore = false;
  /// Seconds since the start against the estimated latency of the whole module.
  std::vector<std::pair<double, double>> curve;
};

/// Guess of the time of `flops` operations in plain loops, rather too long.
double plainLoopsMicros(double flops);

/// What the records of a task must match to count as its measurements.
RecordScope recordScopeOf(const SearchTask &task,
                          const TargetDescription &target,
                          const TunerOptions &options);

/// Tunes `tasks`; `searchTasks[i]` describes `tasks[i]`. Failing candidates are
/// recorded, never fatal; the result is complete whenever the loop ends.
TuningOutcome tune(mlir::MLIRContext *context, llvm::ArrayRef<TuningTask> tasks,
                   llvm::ArrayRef<SearchTask> searchTasks,
                   const TargetDescription &target, const TunerOptions &options,
                   SearchStrategy &strategy, CandidateCompiler &compiler,
                   Measurer &measurer, RecordStore &records,
                   ProgressSink &progress);

} // namespace diffuse

#endif // DIFFUSE_TUNING_TUNER_H
