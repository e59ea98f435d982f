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
  return recallSchedule(task,
                        scheduleDigest(parts.searchTasks[task], candidate));
}

RecordedCandidate Evaluator::recallSchedule(unsigned task,
                                            const std::string &digest) {
  return recallCandidate(parts.records, {parts.scopeOf(task), digest},
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

Evaluator::Trial Evaluator::compile(unsigned task, const Candidate &candidate,
                                    const std::string &schedule) {
  MeasurementRecord record = recordFor(task, candidate, schedule);
  CompiledCandidate compiled =
      libraries.get(task, schedule, record.identity.schedule);
  beginNext();
  return {{}, task, candidate, std::move(record), std::move(compiled)};
}

void Evaluator::beginNext() {
  std::optional<Suggestion> coming = std::exchange(next, std::nullopt);
  if (!coming || !references.isReady(coming->task))
    return;
  std::string schedule =
      scheduleText(parts.searchTasks[coming->task], coming->candidate);
  std::string digest = digestOf(schedule);
  // Where the records may know it, it may not be compiled at all.
  if (!schedule.empty() && !recallSchedule(coming->task, digest).isKnown)
    libraries.begin(coming->task, schedule, digest);
}

MeasureResult Evaluator::run(Trial &trial, uint64_t seed,
                             llvm::function_ref<void(MeasureRequest &)> adapt) {
  MeasureResult result;
  const CompileOutcome &compiled = trial.compiled.outcome;
  result.failure = compiled.failure;
  result.message = compiled.message;
  std::vector<ExpectedOutputs> expected = references.expected(trial.task, seed);
  bool isCompared = expected.size() > 1;
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
  trial.record.comparedWith =
      result.succeeded() && isCompared ? authors[trial.task].schedule : "";
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

/// What the records say, where that suffices.
static std::optional<Evaluation> answerFrom(const RecordedCandidate &known,
                                            double dropAboveMicros) {
  Evaluation evaluation = Evaluation::failedWith(known.failure, known.message);
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

Evaluation Evaluator::evaluate(unsigned task, const Candidate &candidate,
                               const Effort &effort) {
  std::string schedule = scheduleText(parts.searchTasks[task], candidate);
  if (schedule.empty())
    return Evaluation::failedWith(FailureKind::CompileError,
                                  "the sketch cannot be instantiated");
  std::string digest = digestOf(schedule);
  if (!effort.isAfresh)
    if (std::optional<Evaluation> known =
            answerFrom(recallSchedule(task, digest), effort.dropAboveMicros)) {
      known->schedule = digest;
      return *known;
    }
  const Reference &reference = references.get(task, kDataSeed);
  if (!reference.isKnown()) {
    Evaluation evaluation =
        Evaluation::failedWith(FailureKind::Unmeasurable, reference.problem);
    evaluation.isFinal = reference.isFinal;
    return evaluation;
  }
  Trial trial = compile(task, candidate, schedule);
  MeasureResult result = arbitrate(trial, measure(trial, effort), kDataSeed,
                                   [&] { return measure(trial, effort); });
  append(task, trial.record);
  Evaluation evaluation =
      Evaluation::failedWith(result.failure, result.message);
  static_cast<Dispute &>(evaluation) = trial;
  evaluation.schedule = trial.record.identity.schedule;
  evaluation.isUnsteady = result.isUnsteady;
  evaluation.sharedCore = result.sharedCore;
  evaluation.unreservedCore = result.unreservedCore;
  if (result.succeeded())
    (result.isDropped ? evaluation.droppedMicros : evaluation.micros) =
        latencyMicros(result.samplesMicros);
  return evaluation;
}
