// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/Tuner.h"

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
/// A winner that did not hold gives way to the next, this often.
static constexpr unsigned kConfirmedWinners = 3;
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
  void confirm(unsigned task, const Candidate &winner);
  void timePlainLoops();

  bool isOver(double share) const;
  void evaluate(unsigned task, const Candidate &candidate);
  void learn(unsigned task, const Candidate &candidate,
             const Evaluation &evaluation);
  void report(unsigned task, const Evaluation &evaluation);
  /// Makes the fastest measured candidate the task's best; with `among`, the
  /// fastest of those where one of them has a time.
  void updateBest(unsigned task, llvm::ArrayRef<Candidate> among = {});
  /// Time of a task in one run of the module: of its best schedule, else the
  /// estimate of what it gets, the default schedule or plain loops.
  double shareOf(unsigned task) const;
  double moduleMicros() const;
  std::vector<unsigned> heaviestFirst() const;
  double clock() const { return parts.options.clock(); }

  EvaluatorParts parts;
  SearchStrategy &strategy;
  ProgressSink &progress;
  Evaluator evaluator;
  std::vector<Candidate> defaults;
  /// Module estimate after each measurement.
  std::vector<double> history;
  TuningOutcome outcome;
};
} // namespace

Tuner::Tuner(const EvaluatorParts &parts, SearchStrategy &strategy,
             ProgressSink &progress)
    : parts(parts), strategy(strategy), progress(progress), evaluator(parts) {
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
    shares.push_back(shareOf(task));
  std::vector<unsigned> order(parts.tasks.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return shares[a] > shares[b];
  });
  return order;
}

double Tuner::shareOf(unsigned task) const {
  const SearchTask &searched = parts.searchTasks[task];
  if (!outcome.tasks[task].best)
    return searched.calls() * outcome.tasks[task].plainMicros.value_or(
                                  estimatePlainMicros(searched.descriptor));
  return expectedShare(searched, strategy.ledger(task), parts.target);
}

double Tuner::moduleMicros() const {
  double sum = 0;
  for (unsigned task = 0; task < parts.tasks.size(); ++task)
    sum += shareOf(task);
  return sum;
}

void Tuner::updateBest(unsigned task, llvm::ArrayRef<Candidate> among) {
  TaskOutcome &result = outcome.tasks[task];
  const TaskLedger &ledger = strategy.ledger(task);
  const Measured *leader =
      llvm::find_if(ledger.ranking(), [&](const Measured &measured) {
        return llvm::is_contained(among, measured.candidate);
      });
  if (leader == ledger.ranking().end())
    leader = ledger.incumbent();
  result.best.reset();
  result.bestMicros = result.plainMicros;
  if (leader) {
    result.best = leader->candidate;
    result.bestMicros = leader->micros;
  } else if (!result.defaultFailure) {
    result.best = defaults[task];
  }
}

void Tuner::learn(unsigned task, const Candidate &candidate,
                  const Evaluation &evaluation) {
  TaskOutcome &result = outcome.tasks[task];
  strategy.observe({task, candidate, evaluation.micros});
  if (candidate == defaults[task]) {
    result.defaultMicros = evaluation.micros;
    if (!evaluation.micros && evaluation.failure != FailureKind::Unmeasurable)
      result.defaultFailure = evaluation.failure;
  }
  updateBest(task);
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
    if (!outcome.tasks[task].defaultMicros &&
        !outcome.tasks[task].defaultFailure)
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

/// Measures the winner and the default schedule in turn until one of them
/// fails; what fails once is not shipped, whatever it did before.
void Tuner::confirm(unsigned task, const Candidate &winner) {
  double best = INFINITY, base = INFINITY;
  for (unsigned round = 0; round < kConfirmRounds && !isOver(1); ++round) {
    Evaluation plain = evaluator.evaluate(task, defaults[task], 0, true);
    Evaluation won = evaluator.evaluate(task, winner, 0, true);
    outcome.measurements += 2;
    outcome.tasks[task].measurements += 2;
    if (plain.micros)
      plain.micros = base = std::min(base, *plain.micros);
    if (won.micros)
      won.micros = best = std::min(best, *won.micros);
    learn(task, defaults[task], plain);
    learn(task, winner, won);
    if (!won.micros || !plain.micros)
      return;
  }
}

void Tuner::confirmWinners() {
  for (unsigned task : heaviestFirst()) {
    TaskOutcome &result = outcome.tasks[task];
    std::vector<Candidate> confirmed = {defaults[task]};
    for (unsigned winner = 0; winner < kConfirmedWinners; ++winner) {
      if (!result.best || llvm::is_contained(confirmed, *result.best) ||
          !result.defaultMicros || result.measurements == 0 || isOver(1))
        break;
      confirmed.push_back(*result.best);
      confirm(task, confirmed.back());
    }
    if (confirmed.size() > 1)
      updateBest(task, confirmed);
  }
}

void Tuner::timePlainLoops() {
  for (unsigned task : heaviestFirst()) {
    TaskOutcome &result = outcome.tasks[task];
    if (result.best || isOver(1))
      continue;
    result.plainMicros = evaluator.timePlainLoops(task);
    ++result.measurements;
    ++outcome.measurements;
    updateBest(task);
  }
}

TuningOutcome Tuner::run() {
  applyRecords();
  measureDefaults();
  search();
  if (parts.measurer.isReal())
    confirmWinners();
  timePlainLoops();
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
