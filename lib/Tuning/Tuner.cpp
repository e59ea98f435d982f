// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/Tuner.h"

#include "Diffuse/Search/Moves.h"
#include "TunerRun.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace diffuse;

/// Share of a budget kept for settling winners; one in measurements keeps at
/// least what one task needs, and no more than a quarter.
static constexpr double kSettleShare = 0.1;
static constexpr unsigned kSettleMeasurements = 6;
/// Tuning stops when this many measurements per task, and not fewer than the
/// second number, brought less than the gain asked for.
static constexpr unsigned kPatiencePerTask = 6, kPatienceLeast = 48;

/// Samples of a candidate in the search: whoever leads in the end is measured
/// again for longer.
static constexpr double kSearchSampleSeconds = 0.01;

ProgressSink::~ProgressSink() = default;

TunerRun::TunerRun(const TuningParts &parts, SearchStrategy &strategy,
                   ProgressSink &progress)
    : parts(parts), strategy(strategy), progress(progress), evaluator(parts),
      doubtful(parts.tasks.size()),
      leastGivenBack(parts.tasks.size(), INFINITY),
      faults(parts.tasks.size(), 0) {
  outcome.tasks.resize(parts.tasks.size());
  for (const auto &[task, result] :
       llvm::zip(parts.searchTasks, outcome.tasks)) {
    defaults.push_back(defaultOf(task, parts.target));
    result.best = defaults.back();
  }
}

unsigned TunerRun::reserve() const {
  const Budget &budget = parts.options.budget;
  if (!budget.measurements || !parts.measurer.isReal())
    return 0;
  unsigned share = static_cast<unsigned>(kSettleShare * *budget.measurements);
  return std::max(share,
                  std::min(kSettleMeasurements, *budget.measurements / 4));
}

bool TunerRun::isOver(Ahead ahead) const {
  const Budget &budget = parts.options.budget;
  bool isReserved = ahead == Ahead::WinnersToSettle;
  if (isInterrupted())
    return true;
  if (budget.measurements &&
      outcome.measurements + (isReserved ? reserve() : 0) >=
          *budget.measurements)
    return true;
  return budget.seconds &&
         clock() >= *budget.seconds * (isReserved ? 1 - kSettleShare : 1);
}

bool TunerRun::canMeasure(unsigned count) const {
  const Budget &budget = parts.options.budget;
  return !isOver(Ahead::Nothing) &&
         (!budget.measurements ||
          outcome.measurements + count <= *budget.measurements);
}

std::vector<unsigned> TunerRun::heaviestFirst() const {
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

double TunerRun::shareOf(unsigned task) const {
  const SearchTask &searched = parts.searchTasks[task];
  if (!outcome.tasks[task].best)
    return searched.calls() * outcome.tasks[task].plainMicros.value_or(
                                  plainLoopsMicros(searched.descriptor.flops));
  return expectedShare(searched, strategy.ledger(task), parts.target);
}

double TunerRun::moduleMicros() const {
  double sum = 0;
  for (unsigned task = 0; task < parts.tasks.size(); ++task)
    sum += shareOf(task);
  return sum;
}

bool TunerRun::mayLead(unsigned task, const Measured &measured) const {
  return measured.micros < leastGivenBack[task] ||
         measured.candidate == defaults[task] ||
         outcome.tasks[task].proven.count(measured.candidate);
}

const Measured *TunerRun::findLeader(unsigned task,
                                     llvm::ArrayRef<Candidate> among) const {
  const Measured *leader = nullptr;
  for (const Measured &measured : strategy.ledger(task).ranking()) {
    if (!mayLead(task, measured))
      continue;
    if (among.empty() || llvm::is_contained(among, measured.candidate))
      return &measured;
    leader = leader ? leader : &measured;
  }
  return leader;
}

void TunerRun::updateBest(unsigned task, llvm::ArrayRef<Candidate> among) {
  TaskOutcome &result = outcome.tasks[task];
  const Measured *leader = findLeader(task, among);
  result.best.reset();
  result.bestMicros = result.plainMicros;
  // Without a default schedule plain loops are what must not be lost to.
  bool isSlow = leader && !defaults[task] && result.plainMicros &&
                *result.plainMicros <= leader->micros;
  if (leader && !isSlow) {
    result.best = leader->candidate;
    result.bestMicros = leader->micros;
  } else if (!result.defaultFailure) {
    result.best = defaults[task];
  }
}

void TunerRun::learn(unsigned task, const Candidate &candidate,
                     const Evaluation &evaluation) {
  TaskOutcome &result = outcome.tasks[task];
  // A fault of the surroundings leaves what was known.
  if (isFaultOfOthers(evaluation) && strategy.ledger(task).isRanked(candidate))
    return;
  strategy.observe({task, candidate, evaluation.micros});
  if (candidate == defaults[task]) {
    result.defaultMicros = evaluation.micros;
    if (evaluation.failure != FailureKind::None &&
        evaluation.failure != FailureKind::Unmeasurable)
      result.defaultFailure = evaluation.failure;
  }
  updateBest(task);
}

void TunerRun::report(unsigned task, const Evaluation &evaluation) {
  const TaskOutcome &result = outcome.tasks[task];
  history.push_back(moduleMicros());
  outcome.curve.push_back({clock(), history.back()});
  TaskProgress state;
  state.task = task;
  state.cluster = parts.searchTasks[task].cluster;
  state.function = parts.tasks[task].function;
  state.measurements = result.measurements;
  state.schedule = evaluation.schedule;
  state.fromRecords = evaluation.fromRecords;
  state.isDropped = evaluation.droppedMicros.has_value();
  state.failure = evaluation.failure;
  state.latestMicros =
      evaluation.micros ? evaluation.micros : evaluation.droppedMicros;
  state.defaultMicros = result.defaultMicros;
  state.bestMicros = result.bestMicros;
  state.secondsElapsed = clock();
  if (parts.options.budget.seconds)
    state.secondsLeft = std::max(0.0, *parts.options.budget.seconds - clock());
  state.moduleMicros = history.back();
  progress.measured(state);
  tellState();
}

void TunerRun::tellState() const {
  if (parts.options.advanced)
    parts.options.advanced(
        {clock(), outcome.measurements, moduleMicros(), outcome.tasks});
}

void TunerRun::evaluate(unsigned task, const Candidate &candidate,
                        const Effort &effort) {
  Evaluation evaluation = measure(task, candidate, effort);
  if (evaluation.failure == FailureKind::Unmeasurable && isInterrupted())
    return;
  learn(task, candidate, evaluation);
  report(task, evaluation);
}

std::optional<Suggestion> TunerRun::suggest() {
  std::vector<Suggestion> suggestions = strategy.suggest(1);
  return suggestions.empty() ? std::nullopt
                             : std::optional(suggestions.front());
}

void TunerRun::search() {
  size_t patience =
      std::max<size_t>(kPatienceLeast, kPatiencePerTask * parts.tasks.size());
  patientSince = history.size();
  std::optional<Suggestion> next;
  while (!isOver(Ahead::WinnersToSettle)) {
    if (history.size() > patientSince + patience) {
      double before = history[history.size() - 1 - patience];
      if (before - history.back() < parts.options.stopGain * before)
        return;
    }
    if (!next)
      next = suggest();
    if (!next)
      return;
    Suggestion suggestion = *std::exchange(next, std::nullopt);
    // A step ahead of what is known; the same wherever a core is free.
    if (parts.compiler.compilesAhead())
      evaluator.expect(next = suggest());
    Effort effort;
    double best = outcome.tasks[suggestion.task].bestMicros.value_or(0);
    effort.dropAboveMicros = best * kFarBehind;
    effort.briefAboveMicros = best * kBehind;
    effort.sampleSeconds = kSearchSampleSeconds;
    evaluate(suggestion.task, suggestion.candidate, effort);
    if (next && !outcome.tasks[next->task].unverified.empty())
      next.reset();
  }
}

TuningOutcome TunerRun::run() {
  for (unsigned task = 0; task < parts.tasks.size(); ++task)
    applyRecords(task);
  tellState();
  measureDefaults();
  search();
  parts.compiler.dropAhead();
  if (parts.measurer.isReal())
    settleWinners();
  timePlainLoops();
  if (!outcome.curve.empty())
    outcome.curve.push_back({clock(), moduleMicros()});
  tellState();
  outcome.seconds = clock();
  outcome.referenceSeconds = evaluator.secondsInReferences();
  outcome.wasInterrupted = isInterrupted();
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
  TunerRun tuner({context, tasks, searchTasks, target, options, compiler,
                  measurer, records},
                 strategy, progress);
  return tuner.run();
}
