// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session.h"

#include "Compare.h"
#include "Printers.h"
#include "Report.h"
#include "Snapshots.h"

#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/Pipelines/CompileFile.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Support/ScratchFolder.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"

#include <chrono>
#include <limits>

using namespace diffuse;
using namespace mlir;

/// Seconds that building one subgraph for the comparison takes, which is done
/// twice and once more where some get their default schedules back.
static constexpr double kBuildSeconds = 0.3;
/// Share of a budget that may be kept for the comparison.
static constexpr double kCompareShare = 0.15;
/// Modules are not compared where one run is expected to take longer, nor where
/// so many runs, which the comparison makes at the least, do not fit in.
static constexpr double kLongestRunSeconds = 2, kRunsOfComparison = 16;
/// Seconds beyond the budget after which a comparison is given up.
static constexpr double kGraceSeconds = 8;

namespace {
class Session {
public:
  explicit Session(const TuneOptions &options)
      : options(options), snapshots(options.snapshots) {}
  int run();

private:
  /// Parses and outlines; false with messages printed.
  bool prepare();
  /// What is left of the budget for the tuner: reading and outlining were paid
  /// from it, and the comparison at the end will be.
  Budget tunerBudget() const;
  ModuleTimes compare();
  /// Whether whole modules can be compared after tuning, if there is time.
  bool mayCompare() const;
  /// Gives the default schedules back where tuning made the module slower, and
  /// where it did so before and nothing was compared now.
  LogicalResult keepFaster(ModuleTimes &times);
  llvm::Error write(const ModuleTimes &times);
  llvm::Error writeSummary(const ModuleTimes &times);
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

  const TuneOptions &options;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  std::unique_ptr<ModuleFile> file;
  TuneResult result;
  SnapshotFolder snapshots;
};
} // namespace

static int fail(llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), "diffuse-tune")
      << llvm::toString(std::move(error)) << '\n';
  return 1;
}

/// diffuse-run makes no data for arguments of unknown rank.
static bool hasUnrankedArgument(func::FuncOp entry) {
  return llvm::any_of(entry.getArgumentTypes(),
                      llvm::IsaPred<UnrankedTensorType, UnrankedMemRefType>);
}

bool Session::prepare() {
  // The spelling was checked when options were read.
  TargetDescription target =
      llvm::cantFail(parseTarget(options.request.target));
  FailureOr<std::unique_ptr<ModuleFile>> loaded =
      ModuleFile::load(options.input, options.entry, {options.layouts, target});
  if (failed(loaded))
    return false;
  file = std::move(*loaded);
  if (file->hasSubgraphs()) {
    if (!options.dryRun && hasUnrankedArgument(file->entry()))
      emitWarning(file->entry().getLoc())
          << "'" << file->entry().getSymName()
          << "' has arguments of unknown rank: its subgraphs are tuned, but "
             "whole modules cannot be compared";
    return true;
  }
  emitError(file->module()->getLoc())
      << "nothing to tune: the module has no op on tensors that is free of "
         "side effects";
  return false;
}

/// Estimated time of one run: of the tasks, and of what no sketch takes.
static double expectedMicros(const TuneResult &result) {
  double plain =
      plainLoopsMicros(result.tasks.totalFlops - result.tasks.coveredFlops);
  return plain + (result.outcome.curve.empty()
                      ? 0
                      : result.outcome.curve.back().second);
}

bool Session::mayCompare() const {
  return options.request.measurer == "local" &&
         !options.request.tuner.budget.isZero() && !options.dryRun &&
         !hasUnrankedArgument(file->entry());
}

ModuleTimes Session::compare() {
  if (!mayCompare() || isInterrupted() ||
      (result.tasks.tasks.empty() && !options.measureUntuned))
    return {};
  double runSeconds = expectedMicros(result) / 1e6;
  std::optional<double> deadline = options.request.tuner.budget.seconds;
  double longest = kLongestRunSeconds;
  if (deadline) {
    if (seconds() >= *deadline) {
      llvm::WithColor::note(llvm::errs(), "diffuse-tune")
          << "whole modules were not compared: the budget is used up\n";
      return {};
    }
    *deadline += kGraceSeconds;
    longest = std::min(longest, (*deadline - seconds()) / kRunsOfComparison);
  }
  if (runSeconds > longest) {
    llvm::WithColor::note(llvm::errs(), "diffuse-tune")
        << "whole modules were not compared: one run is expected to take "
        << formatMicros(runSeconds * 1e6) << '\n';
    return {};
  }
  auto secondsLeft = [&] {
    return deadline ? *deadline - seconds()
                    : std::numeric_limits<double>::infinity();
  };
  ModuleTimes times;
  llvm::Error error = [&]() -> llvm::Error {
    llvm::Expected<ScratchFolder> folder = ScratchFolder::create();
    if (!folder)
      return folder.takeError();
    return compareWithDefaults(options, folder->path(), file->module(), result,
                               secondsLeft, times);
  }();
  if (error && !isInterrupted())
    llvm::WithColor::warning(llvm::errs(), "diffuse-tune")
        << "whole modules were not compared: "
        << (secondsLeft() <= 0 ? "the budget is used up"
                               : llvm::toString(std::move(error)))
        << '\n';
  llvm::consumeError(std::move(error));
  return times;
}

Budget Session::tunerBudget() const {
  if (options.dryRun)
    return {std::nullopt, 0u};
  Budget budget = options.request.tuner.budget;
  if (!budget.seconds)
    return budget;
  double subgraphs =
      static_cast<double>(collectSubgraphs(file->module()).size());
  double comparison =
      std::min(kCompareShare * *budget.seconds,
               kProfileSeconds + kCompareSeconds + kBuildSeconds * subgraphs);
  budget.seconds = std::max(0.0, *budget.seconds - seconds() - comparison);
  return budget;
}

LogicalResult Session::keepFaster(ModuleTimes &times) {
  if (!times.tunedMicros) {
    llvm::append_range(times.givenBack, keepGivenBack(result));
    return attachOutcome(file->module(), result.tasks, result.outcome.tasks);
  }
  // Nobody waits for a module that is no faster. Only what is slower beyond
  // doubt is held against the schedules later.
  if (*times.tunedMicros <= *times.defaultMicros) {
    recordAndWarn(options.request, result,
                  withdrawAll(result, times.notSlower));
    return success();
  }
  llvm::WithColor::note(llvm::errs(), "diffuse-tune")
      << "the whole module was slower with tuned schedules, by "
      << llvm::format("%.2g %%",
                      100 * (*times.tunedMicros / *times.defaultMicros - 1))
      << ", than with default ones (" << formatMicros(*times.defaultMicros)
      << "); it keeps the default ones\n";
  times.tunedMicros = times.defaultMicros;
  if (times.isSlowerAgain)
    recordAndWarn(options.request, result, handBackAll(result));
  takeDefaults(result.tasks, result.target, result.outcome.tasks);
  return attachOutcome(file->module(), result.tasks, result.outcome.tasks);
}

llvm::Error Session::write(const ModuleTimes &times) {
  if (failed(verify(file->module())))
    return makeError("the tuned module is broken and is not written; this is a "
                     "fault of diffuse-tune");
  if (llvm::Error error =
          writeFileAtomically(options.output, printModule(file->module())))
    return error;
  if (!options.snapshots.empty()) {
    const TuningOutcome &outcome = result.outcome;
    double estimate = outcome.curve.empty() ? 0 : outcome.curve.back().second;
    if (llvm::Error error =
            snapshots.write(file->module(), "end", outcome.seconds,
                            outcome.measurements, estimate))
      llvm::WithColor::warning(llvm::errs(), "diffuse-tune")
          << "no snapshot 'end': " << llvm::toString(std::move(error)) << '\n';
  }
  return writeSummary(times);
}

llvm::Error Session::writeSummary(const ModuleTimes &times) {
  if (options.summary.empty())
    return llvm::Error::success();
  return writeFileAtomically(options.summary,
                             summaryText(result, times, seconds()));
}

int Session::run() {
  if (!prepare())
    return 1;
  TuneRequest request = options.request;
  request.tuner.interrupted = isInterrupted;
  request.tuner.budget = tunerBudget();
  request.tuner.retriesHandBacks = mayCompare();
  if (!options.snapshots.empty())
    request.snapshot = [&](ModuleOp module, const Snapshot &snapshot) {
      return snapshots.write(module, snapshot.name, snapshot.state.seconds,
                             snapshot.state.measurements,
                             snapshot.state.moduleMicros);
    };
  {
    std::unique_ptr<ProgressSink> printer = createPrinter(options.progress);
    FailureOr<TuneResult> tuned =
        tuneSubgraphs(file->module(), request, *printer);
    if (failed(tuned))
      return 1;
    result = std::move(*tuned);
  }
  if (options.dryRun) {
    printDryRun(result, llvm::outs());
    if (llvm::Error error = writeSummary({}))
      return fail(std::move(error));
    return 0;
  }
  ModuleTimes times = compare();
  result.outcome.wasInterrupted |= isInterrupted();
  if (failed(keepFaster(times)))
    return 1;
  // What was given back is among the records that decided.
  setProvenance(file->module(), options.request, result);
  if (llvm::Error error = write(times))
    return fail(std::move(error));
  if (options.progress != ProgressStyle::None &&
      options.progress != ProgressStyle::Json)
    printTable(result, times, llvm::errs());
  return result.outcome.wasInterrupted ? 130 : 0;
}

int diffuse::runTuneSession(const TuneOptions &options) {
  return Session(options).run();
}
