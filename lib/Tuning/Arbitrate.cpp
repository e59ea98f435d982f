// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where samples of the right answer are known, one schedule speaks for all the
// rest of it. Its word counts as long as no exact value says otherwise: where a
// candidate differs from it, one is computed, which both are held against: both
// may be wrong. Without one nobody is to blame. Once the one that speaks for
// all is found wrong nothing that was compared with it stands, in this run or
// in records of it (see withoutRefuted).

#include "Evaluator.h"

using namespace diffuse;

/// A failure there is one of the candidate, and recorded as such.
MeasureResult Evaluator::checkOnSecondSeed(Trial &trial) {
  bool isAuthor = references.lacksWholeAnswers(trial.task);
  MeasureResult result = run(trial, kSecondSeed, [&](MeasureRequest &request) {
    request.checkOnly = true;
    if (isAuthor)
      request.writeOutputs = references.wholePath(trial.task, kSecondSeed);
  });
  trial.isRight = result.succeeded();
  if (result.succeeded())
    checked[trial.task].insert(trial.candidate);
  trial.record.message = result.message =
      "on a second set of data: " + result.message;
  return result;
}

MeasureResult Evaluator::measure(Trial &trial, const Effort &effort) {
  unsigned task = trial.task;
  bool isAuthor = references.lacksWholeAnswers(task);
  MeasureResult result = run(trial, kDataSeed, [&](MeasureRequest &request) {
    request.repeats.dropAboveMicros = effort.dropAboveMicros;
    request.repeats.briefAboveMicros = effort.briefAboveMicros;
    request.repeats.minSeconds = effort.sampleSeconds;
    request.calibrate = effort.calibrate;
    if (isAuthor)
      request.writeOutputs = references.wholePath(task, kDataSeed);
  });
  trial.isRight = result.succeeded();
  if (!isAuthor || !result.succeeded() ||
      !references.get(task, kSecondSeed).isKnown())
    return result;
  MeasurementRecord timed = trial.record;
  MeasureResult again = checkOnSecondSeed(trial);
  // Right where two differ, whatever it is on the second seed.
  trial.isRight = true;
  if (!again.succeeded() && again.failure != FailureKind::Unmeasurable)
    return again;
  trial.record = std::move(timed);
  if (again.succeeded()) {
    references.adoptWholeAnswers(task);
    authors[task] = {trial.candidate, trial.record.identity.schedule};
  }
  return result;
}

static std::string placeOf(const AnswerElement &element) {
  return printPosition(element.position) + " of result " +
         std::to_string(element.result);
}

void Evaluator::recordRefuted(unsigned task, const Candidate &candidate,
                              const AnswerElement &element) {
  std::string schedule = scheduleText(parts.searchTasks[task], candidate);
  MeasurementRecord record = recordFor(task, candidate, schedule);
  record.failure = FailureKind::WrongAnswer;
  record.wrongElement = element;
  record.message =
      "wrong at " + placeOf(element) + ", where no sample had been taken";
  append(task, record);
}

/// No exact value is known where two schedules differ.
static MeasureResult undecided(const MeasureResult &disputed) {
  MeasureResult result;
  result.failure = FailureKind::Unmeasurable;
  result.seconds = disputed.seconds;
  result.message = "differs from another schedule";
  if (disputed.wrongElement)
    result.message += " at " + placeOf(*disputed.wrongElement);
  result.message += ", and no exact value says which of them is right";
  return result;
}

FailureKind Evaluator::compareWithSamples(unsigned task,
                                          const Candidate &candidate,
                                          uint64_t seed) {
  Trial trial = compile(task, candidate,
                        scheduleText(parts.searchTasks[task], candidate));
  return run(trial, seed,
             [](MeasureRequest &request) { request.checkOnly = true; })
      .failure;
}

MeasureResult Evaluator::judge(Trial &trial, const AnswerElement &element,
                               uint64_t seed,
                               llvm::function_ref<MeasureResult()> again) {
  unsigned task = trial.task;
  Candidate author = authors[task].candidate;
  References::WholeAnswers answers = references.dropWholeAnswers(task);
  std::set<Candidate> before = std::exchange(checked[task], {});
  MeasureResult exact = again();
  FailureKind ofAuthor = trial.isRight ? FailureKind::WrongAnswer
                                       : compareWithSamples(task, author, seed);
  if (ofAuthor == FailureKind::WrongAnswer) {
    trial.refuted = author;
    trial.unsettles = true;
    recordRefuted(task, author, element);
    return exact;
  }
  references.restoreWholeAnswers(task, answers);
  // Nobody was checked here where that cannot be told of the author.
  if (ofAuthor == FailureKind::None)
    checked[task] = std::move(before);
  return exact;
}

MeasureResult Evaluator::arbitrate(Trial &trial, MeasureResult first,
                                   uint64_t seed,
                                   llvm::function_ref<MeasureResult()> again) {
  unsigned task = trial.task;
  if (first.failure != FailureKind::WrongAnswer)
    return first;
  // Who answers otherwise than before, or wrong, speaks for nobody.
  if (trial.candidate == authors[task].candidate &&
      references.dropWholeAnswers(task)) {
    trial.unsettles = true;
    checked[task].clear();
    return first;
  }
  // The first of a request's references is exact.
  if (first.wrongReference == 0)
    return first;
  MeasureResult second = undecided(first);
  if (first.wrongElement && references.sampleAlso(task, *first.wrongElement)) {
    MeasureResult exact = judge(trial, *first.wrongElement, seed, again);
    if (trial.isRight || exact.failure != FailureKind::Unmeasurable)
      return exact;
  }
  trial.isUndecided = true;
  static_cast<RunOutcome &>(trial.record) = second;
  return second;
}

Evaluation Evaluator::checkOnSecondSeed(unsigned task,
                                        const Candidate &candidate) {
  if (checked[task].count(candidate))
    return {};
  const Reference &reference = references.get(task, kSecondSeed);
  if (!reference.isKnown())
    return Evaluation::failedWith(FailureKind::Unmeasurable, reference.problem);
  Trial trial = compile(task, candidate,
                        scheduleText(parts.searchTasks[task], candidate));
  MeasureResult result = arbitrate(trial, checkOnSecondSeed(trial), kSecondSeed,
                                   [&] { return checkOnSecondSeed(trial); });
  Evaluation evaluation;
  if (!result.succeeded()) {
    append(task, trial.record);
    evaluation = Evaluation::failedWith(result.failure, result.message);
  }
  static_cast<Dispute &>(evaluation) = trial;
  return evaluation;
}
