// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What earlier runs measured is learned before anything is measured. Times of
// another machine with the same target key count as well, but they do not
// compare with those of this one: what leads by them is measured again, after
// the default schedule of the task, and then what was fast on another target or
// as other code. So is what was slower inside a network, where networks will be
// compared again: one comparison on a busy machine is not for ever.

#include "TunerRun.h"

#include "Diffuse/Search/Moves.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace diffuse;

/// Candidates of a task that are measured again because they lead by times of
/// another machine, or though they were given back.
static constexpr unsigned kDoubtfulLeaders = 4;
/// Candidates of a task that are tried first because they were fast on another
/// target or under another codegen or protocol number.
static constexpr unsigned kStaleLeaders = 4;

/// Where only a user's sketches are searched, the default schedule is the one
/// candidate of the library's that competes with them.
bool TunerRun::counts(unsigned task, const Candidate &candidate) const {
  const SearchTask &searched = parts.searchTasks[task];
  auto isNamed = [&](const BoundSketch &sketch) {
    return sketch.name() == candidate.sketch;
  };
  return isSearched(searched, candidate.sketch) ||
         llvm::any_of(searched.recordedSketches, isNamed) ||
         candidate == defaults[task];
}

void TunerRun::applyRecords(unsigned task) {
  std::set<Candidate> known;
  std::vector<std::pair<Candidate, double>> dropped;
  for (const MeasurementRecord *record :
       parts.records.lookup(parts.scopeOf(task))) {
    Candidate candidate{record->sketch, record->choices};
    if (!known.insert(candidate).second ||
        !isKnown(parts.searchTasks[task], parts.target, candidate) ||
        !counts(task, candidate))
      continue;
    // A sketch that has changed since gives another schedule, which the records
    // do not know.
    RecordedCandidate recorded = evaluator.recall(task, candidate);
    Evaluation evaluation;
    evaluation.failure = recorded.failure;
    evaluation.micros = recorded.hereMicros;
    if (!recorded.hereMicros && recorded.elsewhereMicros) {
      evaluation.micros = recorded.elsewhereMicros;
      doubtful[task].insert(candidate);
    }
    if (recorded.isProven)
      outcome.tasks[task].proven.insert(candidate);
    if (recorded.givenBackMicros && parts.options.retriesHandBacks) {
      evaluation.failure = FailureKind::None;
      evaluation.micros = recorded.givenBackMicros;
      doubtful[task].insert(candidate);
      outcome.tasks[task].triedAgain[candidate] = *recorded.givenBackMicros;
    } else if (recorded.givenBackMicros) {
      leastGivenBack[task] =
          std::min(leastGivenBack[task], *recorded.givenBackMicros);
    }
    if (evaluation.micros || evaluation.failure != FailureKind::None)
      learn(task, candidate, evaluation);
    else if (recorded.droppedMicros)
      dropped.push_back({candidate, *recorded.droppedMicros});
    outcome.tasks[task].fromRecords += recorded.isKnown;
  }
  updateBest(task);
  // What was dropped counts as seen while it is still far behind.
  std::optional<double> best = outcome.tasks[task].bestMicros;
  for (const auto &[candidate, micros] : dropped)
    if (best && micros > *best * kFarBehind)
      learn(task, candidate, Evaluation());
}

void TunerRun::measureDoubtfulLeaders(unsigned task) {
  TaskOutcome &result = outcome.tasks[task];
  unsigned measured = 0;
  Effort effort;
  effort.isAfresh = true;
  while (measured < kDoubtfulLeaders && result.best &&
         doubtful[task].count(*result.best) && result.unverified.empty() &&
         !isOver(Ahead::WinnersToSettle)) {
    Candidate leader = *result.best;
    evaluate(task, leader, effort);
    doubtful[task].erase(leader);
    ++measured;
  }
  if (measured == 0)
    return;
  // Times of two machines do not compare: now that there are some of this one,
  // the others rank no more. Nor does what was given back and is slower.
  for (const Candidate &candidate : doubtful[task])
    learn(task, candidate, Evaluation());
  doubtful[task].clear();
}

/// Whether a record says something of code like that of `now`, but of other
/// code.
static bool isStale(const RecordScope &scope, const RecordScope &now) {
  RecordScope like = scope;
  like.target = now.target;
  like.codegen = now.codegen;
  like.protocol = now.protocol;
  return like.key() == now.key() && scope.key() != now.key();
}

/// Candidates of stale records that were never wrong, fastest first.
static std::vector<Candidate>
rankStale(llvm::ArrayRef<const MeasurementRecord *> records,
          const RecordScope &now) {
  std::map<Candidate, double> least;
  std::set<Candidate> failed;
  for (const MeasurementRecord *record : records) {
    if (!isStale(record->identity.scope, now) ||
        record->failure == FailureKind::SlowerInNetwork)
      continue;
    Candidate candidate{record->sketch, record->choices};
    if (!record->succeeded()) {
      failed.insert(std::move(candidate));
      continue;
    }
    double micros = latencyMicros(record->samplesMicros);
    auto [known, isNew] = least.try_emplace(std::move(candidate), micros);
    known->second = std::min(known->second, micros);
  }
  std::vector<std::pair<double, Candidate>> order;
  for (const auto &[candidate, micros] : least)
    if (!failed.count(candidate))
      order.push_back({micros, candidate});
  llvm::sort(order);
  std::vector<Candidate> ranked;
  for (auto &[micros, candidate] : order)
    ranked.push_back(std::move(candidate));
  return ranked;
}

void TunerRun::measureStaleLeaders(unsigned task) {
  TaskOutcome &result = outcome.tasks[task];
  unsigned measured = 0;
  for (const Candidate &candidate :
       rankStale(parts.records.lookupSubgraph(
                     parts.searchTasks[task].descriptor.exactHash),
                 parts.scopeOf(task))) {
    if (measured == kStaleLeaders || !result.unverified.empty() ||
        isOver(Ahead::WinnersToSettle))
      return;
    if (!isLegal(parts.searchTasks[task], parts.target, candidate) ||
        evaluator.recall(task, candidate).isKnown)
      continue;
    Effort effort;
    effort.dropAboveMicros = result.bestMicros.value_or(0) * kFarBehind;
    evaluate(task, candidate, effort);
    ++measured;
  }
}

void TunerRun::measureDefaults() {
  for (unsigned task : heaviestFirst()) {
    TaskOutcome &result = outcome.tasks[task];
    if (isOver(Ahead::WinnersToSettle))
      return;
    if (!defaults[task]) {
      timePlainLoops(task);
      measureDoubtfulLeaders(task);
      continue;
    }
    bool isDoubtful = doubtful[task].count(*defaults[task]);
    // A limit that was met once may have met a busy machine.
    auto mayPass = [&] {
      return !result.defaultFailure || dependsOnMachine(*result.defaultFailure);
    };
    Effort effort;
    effort.isAfresh = isDoubtful || result.defaultFailure;
    for (unsigned attempt = 0;
         attempt < 2 && (!result.defaultMicros || isDoubtful) && mayPass() &&
         result.unverified.empty() && !isOver(Ahead::WinnersToSettle);
         ++attempt) {
      doubtful[task].erase(*defaults[task]);
      result.defaultFailure.reset();
      evaluate(task, *defaults[task], effort);
      isDoubtful = false;
      effort.isAfresh = true;
    }
    measureDoubtfulLeaders(task);
    measureStaleLeaders(task);
  }
}
