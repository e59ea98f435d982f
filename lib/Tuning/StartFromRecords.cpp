// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What earlier runs measured is learned before anything is measured. Times of
// another machine with the same target key count as well, but they do not
// compare with those of this one: what leads by them is measured again. Then
// every task has its default schedule measured.

#include "TunerRun.h"

#include "Diffuse/Search/Moves.h"

using namespace diffuse;

/// Candidates of a task that are measured again because they lead by the times
/// of another machine.
static constexpr unsigned kForeignLeaders = 4;

void TunerRun::applyRecords(unsigned task) {
  std::set<Candidate> known;
  std::vector<std::pair<Candidate, double>> dropped;
  for (const MeasurementRecord *record :
       parts.records.lookup(parts.scopeOf(task))) {
    Candidate candidate{record->sketch, record->choices};
    if (!known.insert(candidate).second ||
        !isLegal(parts.searchTasks[task], parts.target, candidate))
      continue;
    // A sketch that has changed since gives another schedule, which the records
    // do not know.
    RecordedCandidate recorded = evaluator.recall(task, candidate);
    Evaluation evaluation;
    evaluation.failure = recorded.failure;
    evaluation.micros = recorded.hereMicros;
    if (!recorded.hereMicros && recorded.elsewhereMicros) {
      evaluation.micros = recorded.elsewhereMicros;
      foreign[task].insert(candidate);
    }
    if (evaluation.micros || recorded.failure != FailureKind::None)
      learn(task, candidate, evaluation);
    else if (recorded.droppedMicros)
      dropped.push_back({candidate, *recorded.droppedMicros});
    outcome.tasks[task].fromRecords += recorded.isKnown;
  }
  // What was dropped counts as seen while it is still far behind.
  std::optional<double> best = outcome.tasks[task].bestMicros;
  for (const auto &[candidate, micros] : dropped)
    if (best && micros > *best * kFarBehind)
      learn(task, candidate, Evaluation());
}

void TunerRun::measureForeignLeaders(unsigned task) {
  TaskOutcome &result = outcome.tasks[task];
  unsigned measured = 0;
  Effort effort;
  effort.isAfresh = true;
  while (measured < kForeignLeaders && result.best &&
         foreign[task].count(*result.best) && result.unverified.empty() &&
         !isOver(Ahead::WinnersToSettle)) {
    Candidate leader = *result.best;
    evaluate(task, leader, effort);
    foreign[task].erase(leader);
    ++measured;
  }
  if (measured == 0)
    return;
  // Times of two machines do not compare: now that there are some of this one,
  // the others rank no more.
  for (const Candidate &candidate : foreign[task])
    learn(task, candidate, Evaluation());
  foreign[task].clear();
}

void TunerRun::measureDefaults() {
  for (unsigned task : heaviestFirst()) {
    TaskOutcome &result = outcome.tasks[task];
    bool isForeign = foreign[task].count(defaults[task]);
    if (isOver(Ahead::WinnersToSettle))
      return;
    // A limit that was met once may have met a busy machine.
    auto mayPass = [&] {
      return !result.defaultFailure || dependsOnMachine(*result.defaultFailure);
    };
    Effort effort;
    effort.isAfresh = isForeign || result.defaultFailure;
    for (unsigned attempt = 0;
         attempt < 2 && (!result.defaultMicros || isForeign) && mayPass() &&
         result.unverified.empty() && !isOver(Ahead::WinnersToSettle);
         ++attempt) {
      foreign[task].erase(defaults[task]);
      result.defaultFailure.reset();
      evaluate(task, defaults[task], effort);
      isForeign = false;
      effort.isAfresh = true;
    }
    measureForeignLeaders(task);
  }
}
