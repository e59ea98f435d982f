// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Evaluator.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Support/Version.h"

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

RecordedCandidate Evaluator::recall(unsigned task,
                                    const Candidate &candidate) const {
  std::string schedule = scheduleText(parts.searchTasks[task], candidate);
  return recallCandidate(parts.records,
                         {parts.scopeOf(task), digestOf(schedule)},
                         parts.machine());
}

MeasurementRecord Evaluator::recordFor(unsigned task,
                                       const Candidate &candidate,
                                       const std::string &schedule) const {
  const SubgraphDescriptor &descriptor = parts.searchTasks[task].descriptor;
  MeasurementRecord record;
  record.identity = {parts.scopeOf(task), digestOf(schedule)};
  record.structureHash = descriptor.structureHash;
  record.familyHash = descriptor.familyHash;
  record.sketch = candidate.sketch;
  record.choices = candidate.choices;
  record.machine = parts.machine();
  record.tool = toolVersion().str();
  record.llvm = llvmVersion().str();
  record.seed = parts.options.seed;
  return record;
}

MeasureResult Evaluator::run(unsigned task, const Candidate &candidate,
                             const std::string &schedule, uint64_t seed,
                             llvm::function_ref<void(MeasureRequest &)> adapt,
                             MeasurementRecord &record) {
  CompileRequest compile;
  compile.subgraph = record.identity.scope.exactHash;
  compile.schedule = schedule;
  compile.sequence = kScheduleName.str() + kTensorSuffix.str();
  compile.libraryPath = parts.pathFor(task, ".candidate.so");
  CompileOutcome compiled = parts.compiler.compile(compile);
  MeasureResult result;
  result.failure = compiled.failure;
  result.message = compiled.message;
  if (compiled.failure == FailureKind::None) {
    MeasureRequest request =
        parts.requestFor(task, compiled, compile.libraryPath, seed);
    request.identity = record.identity;
    request.reference = references.get(task, seed).path;
    request.predictedMicros =
        estimateMicros(parts.searchTasks[task], parts.target, candidate);
    adapt(request);
    result = parts.measurer.measure(request);
    unlink(compile.libraryPath.c_str());
  }
  static_cast<RunOutcome &>(record) = result;
  if (parts.measurer.isReal()) {
    record.compileSeconds = compiled.seconds;
    record.runSeconds = result.seconds;
  }
  return result;
}

void Evaluator::append(unsigned task, const MeasurementRecord &record) {
  // Not the candidate's fault, so nothing that should keep it from a later run.
  if (record.failure == FailureKind::Unmeasurable)
    return;
  parts.records.append(
      SubgraphRecord{record.identity.scope.exactHash, parts.tasks[task].text});
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
  if (reference.path.empty()) {
    Evaluation evaluation =
        failedWith(FailureKind::Unmeasurable, reference.problem);
    evaluation.isFinal = reference.isFinal;
    return evaluation;
  }
  MeasurementRecord record = recordFor(task, candidate, schedule);
  auto adapt = [&](MeasureRequest &request) {
    request.repeats.dropAboveMicros = effort.dropAboveMicros;
    request.repeats.briefAboveMicros = effort.briefAboveMicros;
    request.calibrate = effort.calibrate;
  };
  MeasureResult result =
      run(task, candidate, schedule, kDataSeed, adapt, record);
  append(task, record);
  Evaluation evaluation = failedWith(result.failure, result.message);
  evaluation.schedule = record.identity.schedule;
  evaluation.isUnsteady = result.isUnsteady;
  evaluation.sharedCore = result.sharedCore;
  if (result.succeeded())
    (result.isDropped ? evaluation.droppedMicros : evaluation.micros) =
        latencyMicros(result.samplesMicros);
  return evaluation;
}

Evaluation Evaluator::checkOnSecondSeed(unsigned task,
                                        const Candidate &candidate) {
  const Reference &reference = references.get(task, kSecondSeed);
  if (reference.path.empty())
    return failedWith(FailureKind::Unmeasurable, reference.problem);
  std::string schedule = scheduleText(parts.searchTasks[task], candidate);
  MeasurementRecord record = recordFor(task, candidate, schedule);
  MeasureResult result = run(
      task, candidate, schedule, kSecondSeed,
      [](MeasureRequest &request) { request.checkOnly = true; }, record);
  if (result.succeeded())
    return {};
  record.message = "on a second set of data: " + record.message;
  append(task, record);
  return failedWith(record.failure, record.message);
}
