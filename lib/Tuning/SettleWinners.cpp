// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What leads after a search leads by luck too: the fastest of many noisy times
// is too fast. So the leader and the default schedule are measured once more,
// in turn, and the leader is checked on other data.

#include "TunerRun.h"

#include <algorithm>
#include <cmath>

using namespace diffuse;

/// The winner and the default schedule are measured in turn this often.
static constexpr unsigned kConfirmRounds = 3;
/// A leader that does not hold gives way to the next, in this many steps.
static constexpr unsigned kSettleSteps = 6;

/// What fails once is not shipped, whatever it did before.
void TunerRun::confirm(unsigned task, const Candidate &winner) {
  double best = INFINITY, base = INFINITY;
  Effort effort;
  effort.isAfresh = effort.calibrate = true;
  for (unsigned round = 0; round < kConfirmRounds && canMeasure(2); ++round) {
    Evaluation plain = measure(task, *defaults[task], effort);
    // What was known of the winner stands no more, and it was measured again.
    if (plain.unsettles)
      return learn(task, *defaults[task], plain);
    Evaluation won = measure(task, winner, effort);
    // Nor does what is known of the default schedule.
    if (won.unsettles)
      return learn(task, winner, won);
    bool areTimed = plain.micros && won.micros;
    decisions += areTimed;
    unsteady += areTimed && (plain.isUnsteady || won.isUnsteady);
    if (plain.micros)
      plain.micros = base = std::min(base, *plain.micros);
    if (won.micros)
      won.micros = best = std::min(best, *won.micros);
    learn(task, *defaults[task], plain);
    learn(task, winner, won);
    if (!areTimed)
      return;
  }
}

/// True where the answer on other data was looked at and is wrong, or shows
/// that of another to be; the leader may have lost its place then.
bool TunerRun::failsOnSecondSeed(unsigned task, const Candidate &leader) {
  std::optional<double> seconds = parts.options.budget.seconds;
  if (isInterrupted() ||
      (seconds && clock() + evaluator.referenceSeconds(task) > *seconds))
    return false;
  Evaluation again = evaluator.checkOnSecondSeed(task, leader);
  refute(task, again);
  if (isFaultOfOthers(again)) {
    noteFault(task, again);
    return false;
  }
  // A check takes no time of anything, so it is no measurement, and a budget
  // that is spent keeps nobody from it. One that passes tells nothing new: no
  // record. Where it refutes another, the leader's own times may be forgotten.
  if (again.failure == FailureKind::None)
    return again.refuted.has_value();
  learn(task, leader, again);
  return true;
}

void TunerRun::settle(unsigned task) {
  TaskOutcome &result = outcome.tasks[task];
  std::vector<Candidate> confirmed;
  if (defaults[task])
    confirmed.push_back(*defaults[task]);
  std::set<Candidate> checked;
  for (unsigned step = 0; step < kSettleSteps && result.best; ++step) {
    Candidate leader = *result.best;
    if (!llvm::is_contained(confirmed, leader) && result.defaultMicros &&
        canMeasure(2)) {
      confirmed.push_back(leader);
      confirm(task, leader);
      if (result.best != leader)
        continue;
    }
    if (!checked.insert(leader).second || !failsOnSecondSeed(task, leader))
      break;
  }
  if (confirmed.size() > 1)
    updateBest(task, confirmed);
  // The last word may be another's than the one that was checked.
  while (result.best && checked.insert(*result.best).second &&
         failsOnSecondSeed(task, *result.best))
    if (confirmed.size() > 1)
      updateBest(task, confirmed);
}

void TunerRun::settleWinners() {
  for (unsigned task : heaviestFirst())
    if (outcome.tasks[task].measurements > 0 &&
        outcome.tasks[task].unverified.empty())
      settle(task);
  if (unsteady > 0)
    progress.warned("the speed of this machine moved by over 5 % in " +
                    std::to_string(unsteady) + " of " +
                    std::to_string(decisions) +
                    " comparisons of a winner with the default schedule; for "
                    "better decisions tune on an idle machine");
}

void TunerRun::timePlainLoops() {
  for (unsigned task : heaviestFirst()) {
    const TaskOutcome &result = outcome.tasks[task];
    if (!result.best && !result.plainMicros)
      timePlainLoops(task);
  }
}

void TunerRun::timePlainLoops(unsigned task) {
  TaskOutcome &result = outcome.tasks[task];
  // Checked, warmed up and timed, they run as often as this.
  static constexpr double kRuns = 4;
  std::optional<double> seconds = parts.options.budget.seconds;
  if (!canMeasure(1) ||
      (seconds &&
       clock() + kRuns * evaluator.plainLoopsSeconds(task) > *seconds))
    return;
  // No candidate, so no measurement: nothing of it is recorded.
  result.plainMicros = evaluator.timePlainLoops(task);
  if (result.plainMicros)
    updateBest(task);
}
