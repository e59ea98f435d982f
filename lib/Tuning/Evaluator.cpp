// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Evaluator.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Support/MachineId.h"
#include "Diffuse/Support/Version.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

/// Seeds of the data that answers are checked on.
static constexpr uint64_t kDataSeed = 1;
/// Arithmetic that plain loops do in a second, a low guess: large strides miss
/// every cache.
static constexpr double kPlainLoopsPerSecond = 4e8;
/// Share of the budget that one reference may take, and its bounds in seconds.
static constexpr double kReferenceShare = 1.0 / 6;
static constexpr double kReferenceLeast = 2, kReferenceMost = 60;
/// A candidate gets this many times its limit's time for warm-up and filling.
static constexpr double kRunSeconds = 10;

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

double diffuse::estimatePlainMicros(const SubgraphDescriptor &descriptor) {
  return descriptor.flops / kPlainLoopsPerSecond * 1e6;
}

/// Terms that one element of the result sums over.
static int64_t reductionLength(const SubgraphDescriptor &descriptor) {
  int64_t length = 1;
  for (const DimInfo &dim : descriptor.dims)
    switch (dim.role) {
    case DimRole::K:
    case DimRole::Window:
    case DimRole::Channel:
    case DimRole::Reduction:
      length *= std::max<int64_t>(1, dim.extent);
      break;
    default:
      break;
    }
  return length;
}

Evaluator::Evaluator(const EvaluatorParts &parts)
    : parts(parts), prepared(parts.tasks.size()) {}

RecordScope Evaluator::scopeOf(unsigned task) const {
  RecordScope scope;
  scope.exactHash = parts.searchTasks[task].descriptor.exactHash;
  scope.target = parts.target.key;
  scope.threads = parts.options.threads;
  scope.numerics = parts.options.numerics;
  scope.codegen = kCodegenNumber;
  return scope;
}

std::string Evaluator::pathFor(unsigned task, StringRef suffix) const {
  return parts.options.scratch + "/" +
         parts.searchTasks[task].descriptor.exactHash + suffix.str();
}

MeasureRequest Evaluator::requestFor(unsigned task,
                                     const CompileOutcome &compiled,
                                     const std::string &library) const {
  MeasureRequest request;
  request.identity.scope = scopeOf(task);
  request.library = library;
  request.symbol = compiled.symbol;
  request.workspaceBytes = compiled.workspaceBytes;
  request.boundary = parts.tasks[task].boundary;
  request.dataSeed = kDataSeed;
  request.threads = parts.options.threads;
  request.flushDenormals = parts.options.flushDenormals;
  request.limits.seconds = kRunSeconds;
  for (const BoundaryArgument &argument : request.boundary)
    if (argument.kind == BoundaryArgument::Kind::Destination) {
      request.tolerance =
          toleranceFor(argument.elementType,
                       reductionLength(parts.searchTasks[task].descriptor),
                       parts.options.numerics);
      break;
    }
  return request;
}

CompileOutcome Evaluator::compilePlainLoops(unsigned task,
                                            const std::string &library) {
  CompileRequest compile;
  compile.subgraph = parts.searchTasks[task].descriptor.exactHash;
  compile.libraryPath = library;
  return parts.compiler.compile(compile);
}

std::optional<double> Evaluator::timePlainLoops(unsigned task) {
  if (!ensureReference(task).empty())
    return std::nullopt;
  std::string library = pathFor(task, ".unscheduled.so");
  CompileOutcome compiled = compilePlainLoops(task, library);
  if (compiled.failure != FailureKind::None)
    return std::nullopt;
  MeasureRequest request = requestFor(task, compiled, library);
  request.predictedMicros =
      estimatePlainMicros(parts.searchTasks[task].descriptor);
  // They may be slow, and what they take decides nothing.
  request.repeats.minRepeats = 1;
  request.limits.seconds = kReferenceMost + kRunSeconds;
  MeasureResult result = parts.measurer.measure(request);
  unlink(library.c_str());
  if (!result.succeeded() || result.samplesMicros.empty())
    return std::nullopt;
  return latencyMicros(result.samplesMicros);
}

std::string Evaluator::makeReference(unsigned task) {
  const SubgraphDescriptor &descriptor = parts.searchTasks[task].descriptor;
  const TuningTask &tuningTask = parts.tasks[task];
  for (const BoundaryArgument &argument : tuningTask.boundary)
    if (argument.isDynamic())
      return "its extents are known only at run time";
  double most = kReferenceMost;
  if (parts.options.budget.seconds)
    most = std::clamp(*parts.options.budget.seconds * kReferenceShare,
                      kReferenceLeast, kReferenceMost);
  double expected = estimatePlainMicros(descriptor) * 1e-6;
  if (parts.measurer.isReal() && expected > most)
    return "its plain loops, which answers are checked against, would take "
           "about " +
           std::to_string(static_cast<int64_t>(std::ceil(expected))) +
           " s of at most " + std::to_string(static_cast<int64_t>(most)) + " s";
  if (llvm::Error error = parts.compiler.addSubgraph(
          descriptor.exactHash, tuningTask.text, tuningTask.function))
    return llvm::toString(std::move(error));

  std::string library = pathFor(task, ".unscheduled.so");
  CompileOutcome compiled = compilePlainLoops(task, library);
  if (compiled.failure != FailureKind::None)
    return "its unscheduled lowering failed: " + compiled.message;
  MeasureRequest request = requestFor(task, compiled, library);
  request.checkOnly = true;
  request.writeOutputs = pathFor(task, ".reference");
  request.limits.seconds = most + kRunSeconds;
  MeasureResult result = parts.measurer.measure(request);
  unlink(library.c_str());
  if (!result.succeeded())
    return "its unscheduled lowering could not be run: " + result.message;
  prepared[task].reference = request.writeOutputs;
  return "";
}

std::string Evaluator::ensureReference(unsigned task) {
  Prepared &state = prepared[task];
  if (!state.tried) {
    state.tried = true;
    state.problem = makeReference(task);
  }
  return state.problem;
}

std::optional<Evaluation>
Evaluator::recall(const RecordIdentity &identity) const {
  RecordStore::Matches matches = parts.records.lookup(identity);
  if (matches.empty())
    return std::nullopt;
  Evaluation known;
  known.fromRecords = true;
  std::vector<double> samples;
  for (const MeasurementRecord *record : matches) {
    if (!record->succeeded()) {
      known.failure = record->failure;
      known.message = record->message;
      return known;
    }
    samples.insert(samples.end(), record->samplesMicros.begin(),
                   record->samplesMicros.end());
  }
  known.micros = latencyMicros(samples);
  return known;
}

MeasurementRecord Evaluator::recordFor(unsigned task,
                                       const Candidate &candidate,
                                       const std::string &digest) const {
  const SubgraphDescriptor &descriptor = parts.searchTasks[task].descriptor;
  MeasurementRecord record;
  record.identity.scope = scopeOf(task);
  record.identity.schedule = digest;
  record.structureHash = descriptor.structureHash;
  record.familyHash = descriptor.familyHash;
  record.sketch = candidate.sketch;
  record.choices = candidate.choices;
  // Under the fake and replay measurers records are the same everywhere.
  if (parts.measurer.isReal())
    record.machine = machineId();
  record.tool = toolVersion().str();
  record.llvm = llvmVersion().str();
  record.seed = parts.options.seed;
  return record;
}

void Evaluator::run(unsigned task, const std::string &schedule,
                    double dropAboveMicros, const Candidate &candidate,
                    MeasurementRecord &record) {
  CompileRequest compile;
  compile.subgraph = record.identity.scope.exactHash;
  compile.schedule = schedule;
  compile.sequence = kScheduleName.str() + kTensorSuffix.str();
  compile.libraryPath = pathFor(task, ".candidate.so");
  CompileOutcome compiled = parts.compiler.compile(compile);
  record.compileSeconds = parts.measurer.isReal() ? compiled.seconds : 0;
  record.failure = compiled.failure;
  record.message = compiled.message;
  if (compiled.failure != FailureKind::None)
    return;
  MeasureRequest request = requestFor(task, compiled, compile.libraryPath);
  request.identity = record.identity;
  request.reference = prepared[task].reference;
  request.repeats.dropAboveMicros = dropAboveMicros;
  request.predictedMicros =
      estimateMicros(parts.searchTasks[task], parts.target, candidate);
  MeasureResult result = parts.measurer.measure(request);
  unlink(compile.libraryPath.c_str());
  record.failure = result.failure;
  record.message = result.message;
  record.samplesMicros = result.samplesMicros;
  record.maxRelativeError = result.maxRelativeError;
  record.calibration = result.calibration;
  record.runSeconds = parts.measurer.isReal() ? result.seconds : 0;
}

Evaluation Evaluator::evaluate(unsigned task, const Candidate &candidate,
                               double dropAboveMicros, bool afresh) {
  std::string schedule = scheduleText(parts.searchTasks[task], candidate);
  if (schedule.empty())
    return {FailureKind::CompileError, "the sketch cannot be instantiated",
            std::nullopt, false};
  MeasurementRecord record =
      recordFor(task, candidate, stableHash(schedule).str());
  if (!afresh)
    if (std::optional<Evaluation> known = recall(record.identity))
      return *known;
  if (std::string problem = ensureReference(task); !problem.empty())
    return {FailureKind::Unmeasurable, problem, std::nullopt, false};
  run(task, schedule, dropAboveMicros, candidate, record);
  // Not the candidate's fault, so nothing that should keep it from a later run.
  if (record.failure != FailureKind::Unmeasurable) {
    parts.records.append(SubgraphRecord{record.identity.scope.exactHash,
                                        parts.tasks[task].text});
    parts.records.append(record);
  }
  Evaluation evaluation{record.failure, record.message, std::nullopt, false};
  if (record.succeeded())
    evaluation.micros = latencyMicros(record.samplesMicros);
  return evaluation;
}
