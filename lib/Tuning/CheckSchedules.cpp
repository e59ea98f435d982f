// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckSchedules.h"

#include "Evaluator.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/Search/Moves.h"

using namespace diffuse;

/// Compiles a task with a candidate and keeps nothing of it.
static CompileOutcome tryToCompile(const TuningTask &task,
                                   const SearchTask &search,
                                   const Candidate &candidate,
                                   CandidateCompiler &compiler) {
  CompileOutcome failed;
  const std::string &hash = search.descriptor.exactHash;
  if (llvm::Error error =
          compiler.addSubgraph(hash, task.text, task.function)) {
    failed.failure = FailureKind::Unmeasurable;
    failed.message = llvm::toString(std::move(error));
    return failed;
  }
  CompileRequest request;
  request.subgraph = hash;
  request.schedule = scheduleText(search, candidate);
  request.sequence = kScheduleName.str() + kTensorSuffix.str();
  if (!request.schedule.empty())
    return compiler.compile(request);
  failed.failure = FailureKind::CompileError;
  failed.message = "the sketch cannot be instantiated";
  return failed;
}

namespace {
/// One task whose schedule no measurement stands for.
struct Untimed {
  const TuningTask &task;
  const SearchTask &search;
  const std::optional<Candidate> &byDefault;
  TaskOutcome &outcome;

  /// Takes what is next in line after the best one failed.
  void fallBack(FailureKind failure) {
    bool isDefault = outcome.best == byDefault;
    if (isDefault)
      outcome.defaultFailure = failure;
    outcome.best.reset();
    outcome.bestMicros = outcome.plainMicros;
    if (!isDefault && byDefault && !outcome.defaultFailure) {
      outcome.best = byDefault;
      outcome.bestMicros = outcome.defaultMicros;
    }
  }
};
} // namespace

/// Unmeasurable where nothing can be checked.
static CompileOutcome check(Untimed untimed, CandidateCompiler &compiler,
                            ProgressSink &progress) {
  while (untimed.outcome.best) {
    const Candidate &best = *untimed.outcome.best;
    CompileOutcome compiled =
        tryToCompile(untimed.task, untimed.search, best, compiler);
    if (compiled.failure == FailureKind::None ||
        compiled.failure == FailureKind::Unmeasurable)
      return compiled;
    progress.warned("subgraph '" + untimed.task.function +
                    "' does not compile with " + toString(best) + ": " +
                    compiled.message);
    untimed.fallBack(compiled.failure);
  }
  return {};
}

void diffuse::checkSchedules(const ModuleTasks &tasks,
                             const TargetDescription &target,
                             const TunerOptions &options, bool isReal,
                             CandidateCompiler &compiler,
                             llvm::MutableArrayRef<TaskOutcome> outcomes,
                             ProgressSink &progress) {
  if (target.isGpu())
    return;
  for (const auto &[task, search, outcome] :
       llvm::zip_equal(tasks.tasks, tasks.searchTasks, outcomes)) {
    if (isReal && outcome.bestMicros)
      continue;
    if (options.interrupted && options.interrupted())
      return;
    std::optional<Candidate> byDefault = defaultOf(search, target);
    CompileOutcome unchecked =
        check({task, search, byDefault, outcome}, compiler, progress);
    if (unchecked.failure == FailureKind::None)
      continue;
    if (!options.interrupted || !options.interrupted())
      progress.warned("schedules that were not measured are not compiled "
                      "either before they are written: " +
                      unchecked.message);
    return;
  }
}
