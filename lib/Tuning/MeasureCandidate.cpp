// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One measurement of a run: what it costs, and what it says of others and of
// the surroundings.

#include "TunerRun.h"

using namespace diffuse;

/// Faults of a task, none of them by a candidate, after which it is left alone.
static constexpr unsigned kFaultsInARow = 3;
/// Candidates of a task that are measured again at once, the default schedule
/// first, because what they were compared with is wrong.
static constexpr unsigned kDoubtedLeaders = 4;
/// Watching the speed of the machine takes so long, and may take this share of
/// the time so far where nobody asked for it.
static constexpr double kCalibrationSeconds = 8e-3, kCalibrationShare = 0.02;

void TunerRun::noteFault(unsigned task, const Evaluation &evaluation) {
  // What was cut off is nobody's fault.
  if (isInterrupted())
    return;
  TaskOutcome &result = outcome.tasks[task];
  // What a replayed file does not hold says nothing of the next candidate.
  bool isLast = evaluation.isFinal ||
                (parts.measurer.isReal() && ++faults[task] >= kFaultsInARow);
  if (isLast) {
    result.unverified = evaluation.message;
    strategy.close(task);
  }
  if (!evaluation.isFinal && parts.measurer.isReal() &&
      warnings.insert(evaluation.message).second)
    progress.warned("a measurement failed, and not by its candidate: " +
                    evaluation.message);
}

void TunerRun::noteCore(const Evaluation &evaluation) {
  if (evaluation.sharedCore && !outcome.sharedCore)
    progress.warned("other processes measure on every core that this one may "
                    "use, so times are of a shared core");
  if (evaluation.unreservedCore && !outcome.unreservedCore)
    progress.warned("no core can be reserved in the folder for temporary files "
                    "(TMPDIR), so times may be of a core that others measure "
                    "on, too");
  outcome.sharedCore |= evaluation.sharedCore;
  outcome.unreservedCore |= evaluation.unreservedCore;
}

bool TunerRun::maySpendOnSpeed() const {
  return parts.measurer.isReal() && (calibrations + 1) * kCalibrationSeconds <=
                                        kCalibrationShare * clock();
}

/// What was cut off in the middle of a dispute decides nothing either.
bool TunerRun::isFaultOfOthers(const Evaluation &evaluation) const {
  return evaluation.failure == FailureKind::Unmeasurable &&
         (!evaluation.isUndecided || isInterrupted());
}

void TunerRun::count(unsigned task, const Evaluation &evaluation) {
  TaskOutcome &result = outcome.tasks[task];
  ++result.measurements;
  ++outcome.measurements;
  if (evaluation.failure != FailureKind::None)
    ++result.failures[evaluation.failure];
}

Evaluation TunerRun::measure(unsigned task, const Candidate &candidate,
                             const Effort &asked) {
  Effort effort = asked;
  effort.calibrate |= maySpendOnSpeed();
  Evaluation evaluation = evaluator.evaluate(task, candidate, effort);
  bool isFault = isFaultOfOthers(evaluation);
  if (isFault && !evaluation.isFinal && !isInterrupted() &&
      parts.measurer.isReal()) {
    evaluation = evaluator.evaluate(task, candidate, effort);
    isFault = isFaultOfOthers(evaluation);
  }
  noteCore(evaluation);
  if (isFault) {
    noteFault(task, evaluation);
  } else if (evaluation.fromRecords) {
    ++outcome.tasks[task].fromRecords;
  } else {
    faults[task] = 0;
    count(task, evaluation);
  }
  calibrations += effort.calibrate && !evaluation.fromRecords;
  refute(task, evaluation);
  return evaluation;
}

void TunerRun::refute(unsigned task, const Evaluation &evaluation) {
  if (evaluation.refuted) {
    const Candidate &refuted = *evaluation.refuted;
    Evaluation wrong = Evaluation::failedWith(
        FailureKind::WrongAnswer, "wrong where no sample had been taken");
    wrong.schedule = scheduleDigest(parts.searchTasks[task], refuted);
    count(task, wrong);
    learn(task, refuted, wrong);
    report(task, wrong);
  }
  if (evaluation.unsettles)
    measureDoubted(task);
}

bool TunerRun::isTimed(unsigned task, const Candidate &candidate) {
  RecordedCandidate known = evaluator.recall(task, candidate);
  // Given back before, it ranks all the same: it is tried again.
  if (known.failure == FailureKind::SlowerInNetwork)
    return known.givenBackMicros.has_value();
  if (known.failure != FailureKind::None)
    return true;
  bool isForeign = doubtful[task].count(candidate);
  return (isForeign ? known.elsewhereMicros : known.hereMicros).has_value();
}

std::vector<Candidate> TunerRun::findDoubted(unsigned task) {
  std::vector<Candidate> doubted;
  for (const Measured &measured : strategy.ledger(task).ranking())
    if (!isTimed(task, measured.candidate))
      doubted.push_back(measured.candidate);
  return doubted;
}

void TunerRun::measureDoubted(unsigned task) {
  std::vector<Candidate> doubted = findDoubted(task);
  for (const Candidate &candidate : doubted)
    learn(task, candidate, Evaluation());
  // The estimate of the module has risen, and what others gain is hidden.
  patientSince = history.size();
  llvm::stable_sort(doubted, [&](const Candidate &a, const Candidate &b) {
    return a == defaults[task] && b != defaults[task];
  });
  if (doubted.size() > kDoubtedLeaders)
    doubted.resize(kDoubtedLeaders);
  Effort effort;
  effort.isAfresh = true;
  for (const Candidate &candidate : doubted)
    if (canMeasure(1))
      evaluate(task, candidate, effort);
}
