// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Evaluator.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/Instantiate.h"

#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

std::string diffuse::scheduleText(const SearchTask &task,
                                  const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  if (!sketch)
    return "";
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> schedule =
      instantiate(*sketch, candidate.choices, kScheduleName);
  if (mlir::failed(schedule))
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*schedule)->print(stream);
  return text;
}

static std::string digestOf(const std::string &schedule) {
  return stableHash(schedule).str();
}

std::string diffuse::scheduleDigest(const SearchTask &task,
                                    const Candidate &candidate) {
  return digestOf(scheduleText(task, candidate));
}

std::string diffuse::defaultDigest(const SearchTask &task,
                                   const TargetDescription &target) {
  std::optional<Candidate> byDefault = defaultOf(task, target);
  return byDefault ? scheduleDigest(task, *byDefault) : digestOf("");
}

const std::string &Evaluator::defaultDigest(unsigned task) {
  std::string &digest = defaultDigests[task];
  const SearchTask &search = parts.searchTasks[task];
  if (digest.empty())
    digest = diffuse::defaultDigest(search, parts.target);
  return digest;
}

RecordedCandidate Evaluator::recall(unsigned task, const Candidate &candidate) {
  return recallCandidate(
      parts.records,
      {parts.scopeOf(task), scheduleDigest(parts.searchTasks[task], candidate)},
      parts.machine(), defaultDigest(task));
}

MeasurementRecord Evaluator::recordFor(unsigned task,
                                       const Candidate &candidate,
                                       const std::string &schedule) const {
  MeasurementRecord record =
      newRecord(parts.searchTasks[task].descriptor,
                {parts.scopeOf(task), digestOf(schedule)}, candidate,
                parts.machine(), parts.options.seed);
  const BoundSketch *sketch =
      findSketch(parts.searchTasks[task], candidate.sketch);
  if (sketch && !sketch->sourceText().empty())
    record.sketchText = digestOf(sketch->sourceText().str());
  return record;
}

struct Evaluator::Trial {
  unsigned task;
  Candidate candidate;
  MeasurementRecord record;
  CompiledCandidate compiled;
  bool isRightOnFirstSeed = false;
};

Evaluator::Trial Evaluator::compile(unsigned task, const Candidate &candidate,
                                    const std::string &schedule) {
  MeasurementRecord record = recordFor(task, candidate, schedule);
  CompiledCandidate compiled =
      libraries.get(task, schedule, record.identity.schedule);
  beginNext();
  return {task, candidate, std::move(record), std::move(compiled), false};
}

void Evaluator::beginNext() {
  std::optional<Suggestion> coming = std::exchange(next, std::nullopt);
  if (!coming || !references.isReady(coming->task))
    return;
  std::string schedule =
      scheduleText(parts.searchTasks[coming->task], coming->candidate);
  // Where the records may know it, it may not be compiled at all.
  if (!schedule.empty() && !recall(coming->task, coming->candidate).isKnown)
    libraries.begin(coming->task, schedule, digestOf(schedule));
}

MeasureResult Evaluator::run(Trial &trial, uint64_t seed,
                             llvm::function_ref<void(MeasureRequest &)> adapt) {
  MeasureResult result;
  const CompileOutcome &compiled = trial.compiled.outcome;
  result.failure = compiled.failure;
  result.message = compiled.message;
  std::vector<ExpectedOutputs> expected = references.expected(trial.task, seed);
  if (result.succeeded() && expected.empty()) {
    result.failure = FailureKind::Unmeasurable;
    result.message = "there is no answer to check it against: " +
                     references.get(trial.task, seed).problem;
  } else if (result.succeeded()) {
    MeasureRequest request = parts.requestFor(
        trial.task, compiled, trial.compiled.request.libraryPath, seed);
    request.identity = trial.record.identity;
    request.references = std::move(expected);
    request.predictedMicros = estimateMicros(parts.searchTasks[trial.task],
                                             parts.target, trial.candidate);
    adapt(request);
    result = parts.measurer.measure(request);
  }
  static_cast<RunOutcome &>(trial.record) = result;
  if (parts.measurer.isReal()) {
    trial.record.compileSeconds = trial.compiled.isNew ? compiled.seconds : 0;
    trial.record.runSeconds = result.seconds;
  }
  return result;
}

void Evaluator::append(unsigned task, const MeasurementRecord &record) {
  // Not the candidate's fault, so nothing that should keep it from a later run.
  if (record.failure == FailureKind::Unmeasurable)
    return;
  parts.records.append(
      SubgraphRecord{record.identity.scope.exactHash, parts.tasks[task].text});
  const BoundSketch *sketch =
      findSketch(parts.searchTasks[task], record.sketch);
  if (!record.sketchText.empty())
    parts.records.append(SketchRecord{record.sketchText, record.sketch,
                                      sketch->sourceText().str()});
  parts.records.append(record);
}

static Evaluation failedWith(FailureKind failure, std::string message) {
  Evaluation evaluation;
  evaluation.failure = failure;
  evaluation.message = std::move(message);
  return evaluation;
}

/// What the records say, where that suffices.
static std::optional<Evaluation> answerFrom(const RecordedCandidate &known,
                                            double dropAboveMicros) {
  Evaluation evaluation = failedWith(known.failure, known.message);
  evaluation.fromRecords = true;
  evaluation.micros = known.hereMicros;
  if (known.failure != FailureKind::None || known.hereMicros)
    return evaluation;
  // Still as far behind as when it was dropped, it stays so.
  if (!known.droppedMicros || dropAboveMicros <= 0 ||
      *known.droppedMicros <= dropAboveMicros)
    return std::nullopt;
  evaluation.droppedMicros = known.droppedMicros;
  return evaluation;
}

//===-- whole answers -----------------------------------------------------===//

/// A failure there is one of the candidate, and recorded as such.
MeasureResult Evaluator::checkOnSecondSeed(Trial &trial) {
  bool isAuthor = references.lacksWholeAnswers(trial.task);
  MeasureResult result = run(trial, kSecondSeed, [&](MeasureRequest &request) {
    request.checkOnly = true;
    if (isAuthor)
      request.writeOutputs = references.wholePath(trial.task, kSecondSeed);
  });
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
  trial.isRightOnFirstSeed = result.succeeded();
  if (!isAuthor || !result.succeeded() ||
      !references.get(task, kSecondSeed).isKnown())
    return result;
  MeasurementRecord timed = trial.record;
  MeasureResult again = checkOnSecondSeed(trial);
  if (!again.succeeded() && again.failure != FailureKind::Unmeasurable)
    return again;
  trial.record = std::move(timed);
  if (again.succeeded()) {
    references.adoptWholeAnswers(task);
    authors[task] = trial.candidate;
  }
  return result;
}

void Evaluator::recordRefuted(unsigned task, const Candidate &candidate,
                              const AnswerElement &element) {
  std::string schedule = scheduleText(parts.searchTasks[task], candidate);
  MeasurementRecord record = recordFor(task, candidate, schedule);
  record.failure = FailureKind::WrongAnswer;
  record.wrongElement = element;
  record.message = "wrong at " + printPosition(element.position) +
                   " of result " + std::to_string(element.result) +
                   ", where no sample had been taken";
  append(task, record);
}

std::optional<MeasureResult>
Evaluator::arbitrate(Trial &trial, const Effort &effort,
                     const MeasureResult &result,
                     std::optional<Candidate> &refuted) {
  unsigned task = trial.task;
  // The first of a request's references is exact.
  if (result.failure != FailureKind::WrongAnswer ||
      result.wrongReference == 0 || !result.wrongElement ||
      !references.sampleAlso(task, *result.wrongElement))
    return std::nullopt;
  References::WholeAnswers answers = references.dropWholeAnswers(task);
  MeasurementRecord before = trial.record;
  Candidate author = authors[task];
  MeasureResult again = measure(trial, effort);
  // Right where the two differ, whatever it is on the second seed.
  if (trial.isRightOnFirstSeed) {
    refuted = author;
    checked[task].erase(*refuted);
    recordRefuted(task, *refuted, *result.wrongElement);
    return again;
  }
  // Wrong by an exact value, or nothing is known: the answer stays adopted.
  references.restoreWholeAnswers(task, answers);
  if (again.failure != FailureKind::Unmeasurable)
    return again;
  trial.record = std::move(before);
  return std::nullopt;
}

//===-- evaluations -------------------------------------------------------===//

Evaluation Evaluator::evaluate(unsigned task, const Candidate &candidate,
                               const Effort &effort) {
  std::string schedule = scheduleText(parts.searchTasks[task], candidate);
  if (schedule.empty())
    return failedWith(FailureKind::CompileError,
                      "the sketch cannot be instantiated");
  if (!effort.isAfresh)
    if (std::optional<Evaluation> known =
            answerFrom(recall(task, candidate), effort.dropAboveMicros)) {
      known->schedule = digestOf(schedule);
      return *known;
    }
  const Reference &reference = references.get(task, kDataSeed);
  if (!reference.isKnown()) {
    Evaluation evaluation =
        failedWith(FailureKind::Unmeasurable, reference.problem);
    evaluation.isFinal = reference.isFinal;
    return evaluation;
  }
  Trial trial = compile(task, candidate, schedule);
  MeasureResult result = measure(trial, effort);
  std::optional<Candidate> refuted;
  if (auto decided = arbitrate(trial, effort, result, refuted))
    result = std::move(*decided);
  append(task, trial.record);
  Evaluation evaluation = failedWith(result.failure, result.message);
  evaluation.schedule = trial.record.identity.schedule;
  evaluation.isUnsteady = result.isUnsteady;
  evaluation.sharedCore = result.sharedCore;
  evaluation.unreservedCore = result.unreservedCore;
  evaluation.refuted = refuted;
  if (result.succeeded())
    (result.isDropped ? evaluation.droppedMicros : evaluation.micros) =
        latencyMicros(result.samplesMicros);
  return evaluation;
}

Evaluation Evaluator::checkOnSecondSeed(unsigned task,
                                        const Candidate &candidate) {
  if (checked[task].count(candidate))
    return {};
  const Reference &reference = references.get(task, kSecondSeed);
  if (!reference.isKnown())
    return failedWith(FailureKind::Unmeasurable, reference.problem);
  Trial trial = compile(task, candidate,
                        scheduleText(parts.searchTasks[task], candidate));
  MeasureResult result = checkOnSecondSeed(trial);
  if (result.succeeded())
    return {};
  append(task, trial.record);
  return failedWith(result.failure, result.message);
}
