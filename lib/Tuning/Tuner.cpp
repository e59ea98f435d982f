// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/Tuner.h"

#include "Diffuse/Search/Ledger.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace diffuse;

/// A candidate this much slower than the best is measured briefly.
static constexpr double kFarBehind = 1.5;
/// Share of the budget kept for measuring the winners once more.
static constexpr double kConfirmShare = 0.1;
/// The winner and the default schedule are measured in turn this often.
static constexpr unsigned kConfirmRounds = 3;
/// Tuning stops when this many measurements per task, and not fewer than the
/// second number, brought less than the gain asked for.
static constexpr unsigned kPatiencePerTask = 6, kPatienceLeast = 48;

ProgressSink::~ProgressSink() = default;

namespace {
/// One run of the loop.
class Tuner {
public:
  Tuner(const EvaluatorParts &parts, SearchStrategy &strategy,
        ProgressSink &progress);
  TuningOutcome run();

private:
  void applyRecords();
  void measureDefaults();
  void search();
  void confirmWinners();

  bool isOver(double share) const;
  void evaluate(unsigned task, const Candidate &candidate);
  void learn(unsigned task, const Candidate &candidate,
             const Evaluation &evaluation);
  void report(unsigned task, const Evaluation &evaluation);
  /// Calls-weighted sum of the best times; tasks without one count with the
  /// estimate of their default schedule.
  double moduleMicros() const;
  std::vector<unsigned> heaviestFirst() const;
  double clock() const { return parts.options.clock(); }

  EvaluatorParts parts;
  SearchStrategy &strategy;
  ProgressSink &progress;
  Evaluator evaluator;
  std::vector<Candidate> defaults;
  std::vector<TaskLedger> ledgers;
  /// Module estimate after each measurement.
  std::vector<double> history;
  TuningOutcome outcome;
};
} // namespace

Tuner::Tuner(const EvaluatorParts &parts, SearchStrategy &strategy,
             ProgressSink &progress)
    : parts(parts), strategy(strategy), progress(progress), evaluator(parts),
      ledgers(parts.tasks.size()) {
  outcome.tasks.resize(parts.tasks.size());
  for (const auto &[task, result] :
       llvm::zip(parts.searchTasks, outcome.tasks)) {
    defaults.push_back(
        defaultCandidate(task.descriptor, parts.target, task.sketches));
    result.best = defaults.back();
  }
}

bool Tuner::isOver(double share) const {
  const Budget &budget = parts.options.budget;
  if (parts.options.interrupted && parts.options.interrupted())
    return true;
  if (budget.measurements && outcome.measurements >= *budget.measurements)
    return true;
  return budget.seconds && clock() >= *budget.seconds * share;
}

std::vector<unsigned> Tuner::heaviestFirst() const {
  std::vector<double> shares;
  for (unsigned task = 0; task < parts.tasks.size(); ++task)
    shares.push_back(
        expectedShare(parts.searchTasks[task], ledgers[task], parts.target));
  std::vector<unsigned> order(parts.tasks.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return shares[a] > shares[b];
  });
  return order;
}

double Tuner::moduleMicros() const {
  double sum = 0;
  for (unsigned task = 0; task < parts.tasks.size(); ++task)
    sum += expectedShare(parts.searchTasks[task], ledgers[task], parts.target);
  return sum;
}

void Tuner::learn(unsigned task, const Candidate &candidate,
                  const Evaluation &evaluation) {
  TaskOutcome &result = outcome.tasks[task];
  ledgers[task].observe(candidate, evaluation.micros);
  strategy.observe({task, candidate, evaluation.micros});
  if (!evaluation.micros)
    return;
  if (candidate == defaults[task])
    result.defaultMicros = *evaluation.micros;
  if (!result.bestMicros || *evaluation.micros < *result.bestMicros) {
    result.bestMicros = *evaluation.micros;
    result.best = candidate;
  }
}

void Tuner::report(unsigned task, const Evaluation &evaluation) {
  const TaskOutcome &result = outcome.tasks[task];
  history.push_back(moduleMicros());
  outcome.curve.push_back({clock(), history.back()});
  TaskProgress state;
  state.task = task;
  state.cluster = parts.searchTasks[task].cluster;
  state.function = parts.tasks[task].function;
  state.measurements = result.measurements;
  state.failure = evaluation.failure;
  state.latestMicros = evaluation.micros;
  state.defaultMicros = result.defaultMicros;
  state.bestMicros = result.bestMicros;
  state.secondsElapsed = clock();
  if (parts.options.budget.seconds)
    state.secondsLeft = std::max(0.0, *parts.options.budget.seconds - clock());
  state.moduleMicros = history.back();
  progress.measured(state);
}

void Tuner::evaluate(unsigned task, const Candidate &candidate) {
  TaskOutcome &result = outcome.tasks[task];
  double dropAbove = result.bestMicros ? *result.bestMicros * kFarBehind : 0;
  Evaluation evaluation = evaluator.evaluate(task, candidate, dropAbove);
  if (evaluation.failure == FailureKind::Unmeasurable) {
    // Nothing was measured, and nothing of this task will be.
    result.unverified = evaluation.message;
  } else if (evaluation.fromRecords) {
    ++result.fromRecords;
  } else {
    ++result.measurements;
    ++outcome.measurements;
    if (evaluation.failure != FailureKind::None)
      ++result.failures[evaluation.failure];
  }
  learn(task, candidate, evaluation);
  report(task, evaluation);
}

void Tuner::applyRecords() {
  for (unsigned task = 0; task < parts.tasks.size(); ++task) {
    std::vector<Candidate> known;
    for (const MeasurementRecord *record :
         parts.records.lookup(evaluator.scopeOf(task))) {
      Candidate candidate{record->sketch, record->choices};
      if (!llvm::is_contained(known, candidate) &&
          isLegal(parts.searchTasks[task], parts.target, candidate))
        known.push_back(std::move(candidate));
    }
    for (const Candidate &candidate : known) {
      // A sketch that has changed since gives another schedule, which the
      // records do not know: such a candidate is not measured here.
      std::string digest =
          stableHash(scheduleText(parts.searchTasks[task], candidate)).str();
      RecordIdentity identity{evaluator.scopeOf(task), digest};
      if (parts.records.lookup(identity).empty())
        continue;
      learn(task, candidate, evaluator.evaluate(task, candidate, 0));
      ++outcome.tasks[task].fromRecords;
    }
  }
}

void Tuner::measureDefaults() {
  for (unsigned task : heaviestFirst()) {
    if (isOver(1 - kConfirmShare))
      return;
    if (!outcome.tasks[task].defaultMicros)
      evaluate(task, defaults[task]);
  }
}

void Tuner::search() {
  size_t patience =
      std::max<size_t>(kPatienceLeast, kPatiencePerTask * parts.tasks.size());
  size_t start = history.size();
  while (!isOver(1 - kConfirmShare)) {
    if (history.size() > start + patience) {
      double before = history[history.size() - 1 - patience];
      if (before - history.back() < parts.options.stopGain * before)
        return;
    }
    std::vector<Suggestion> next = strategy.suggest(1);
    if (next.empty())
      return;
    const Suggestion &suggestion = next.front();
    if (outcome.tasks[suggestion.task].unverified.empty())
      evaluate(suggestion.task, suggestion.candidate);
    else
      strategy.observe({suggestion.task, suggestion.candidate, std::nullopt});
  }
}

void Tuner::confirmWinners() {
  for (unsigned task : heaviestFirst()) {
    TaskOutcome &result = outcome.tasks[task];
    if (result.best == defaults[task] || !result.defaultMicros ||
        result.measurements == 0)
      continue;
    double best = INFINITY, base = INFINITY;
    for (unsigned round = 0; round < kConfirmRounds && !isOver(1); ++round) {
      Evaluation won = evaluator.evaluate(task, result.best, 0, true);
      Evaluation plain = evaluator.evaluate(task, defaults[task], 0, true);
      outcome.measurements += 2;
      result.measurements += 2;
      if (!won.micros) {
        // What fails once is not shipped, whatever it did before.
        result.best = defaults[task];
        result.bestMicros = result.defaultMicros;
        best = INFINITY;
      }
      if (!won.micros || !plain.micros)
        break;
      best = std::min(best, *won.micros);
      base = std::min(base, *plain.micros);
    }
    if (std::isinf(base))
      continue;
    result.defaultMicros = base;
    result.bestMicros = std::min(best, base);
    if (base <= best)
      result.best = defaults[task];
  }
}

TuningOutcome Tuner::run() {
  applyRecords();
  measureDefaults();
  search();
  if (parts.measurer.isReal())
    confirmWinners();
  outcome.seconds = clock();
  outcome.wasInterrupted =
      parts.options.interrupted && parts.options.interrupted();
  return std::move(outcome);
}

TuningOutcome diffuse::tune(mlir::MLIRContext *context,
                            llvm::ArrayRef<TuningTask> tasks,
                            llvm::ArrayRef<SearchTask> searchTasks,
                            const TargetDescription &target,
                            const TunerOptions &options,
                            SearchStrategy &strategy,
                            CandidateCompiler &compiler, Measurer &measurer,
                            RecordStore &records, ProgressSink &progress) {
  Tuner tuner({context, tasks, searchTasks, target, options, compiler, measurer,
               records},
              strategy, progress);
  return tuner.run();
}
