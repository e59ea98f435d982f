// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/Reproduce.h"

#include "Evaluator.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Measure/LocalMeasurer.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/ScratchFolder.h"
#include "Diffuse/Tuning/CompileServer.h"
#include "Diffuse/Tuning/TuneModule.h"

#include "mlir/Parser/Parser.h"

using namespace diffuse;
using llvm::StringRef;

namespace {
/// A target, and how the compile server is told of it.
struct NamedTarget {
  std::string spec;
  TargetDescription description;
};
} // namespace

static llvm::Expected<NamedTarget> findTarget(const std::string &key) {
  NamedTarget target{"host", describeHost()};
  if (target.description.key != key) {
    llvm::Expected<TargetDescription> parsed = parseTarget(key);
    if (!parsed)
      return makeError("cannot build for the record's target: " +
                       llvm::toString(parsed.takeError()));
    target = {key, std::move(*parsed)};
  }
  if (target.description.isGpu())
    return makeError("code for " + key + " is not run on this machine");
  std::string lacking = missingHostFeature(target.description);
  if (!lacking.empty())
    return makeError("target " + key + " needs the CPU feature '" + lacking +
                     "', which this machine lacks");
  return target;
}

/// The one task of the text.
static llvm::Expected<ModuleTasks> readTask(mlir::MLIRContext *context,
                                            StringRef text,
                                            const TargetDescription &target,
                                            const RecordScope &scope,
                                            const SketchSet &sketches) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, context);
  if (!module)
    return makeError("the text of the subgraph does not parse");
  llvm::Regex all(".*");
  mlir::FailureOr<ModuleTasks> tasks =
      collectTasks(*module, target, sketches, scope.numerics, all);
  if (mlir::failed(tasks))
    return makeError("the text of the subgraph cannot be described");
  if (tasks->tasks.size() != 1)
    return makeError("no sketch takes the subgraph any more");
  StringRef hash = tasks->searchTasks.front().descriptor.exactHash;
  if (hash != scope.exactHash)
    return makeError("the text is that of subgraph " + hash + ", not of " +
                     scope.exactHash);
  return std::move(*tasks);
}

static llvm::Error checkCandidate(const SearchTask &task,
                                  const TargetDescription &target,
                                  const MeasurementRecord &record,
                                  const Candidate &candidate) {
  if (!findSketch(task, candidate.sketch))
    return makeError("sketch '" + candidate.sketch +
                     "' does not take the subgraph any more");
  std::string schedule = scheduleText(task, candidate);
  if (schedule.empty())
    return makeError(toString(candidate) + " cannot be instantiated any more");
  std::string digest = stableHash(schedule).str();
  if (digest != record.identity.schedule)
    return makeError("sketch '" + candidate.sketch +
                     "' has changed: it gives schedule " + digest +
                     " now, the record is of " + record.identity.schedule);
  return llvm::Error::success();
}

static TunerOptions optionsOf(const MeasurementRecord &record,
                              StringRef scratch) {
  TunerOptions options;
  options.threads = record.identity.scope.threads;
  options.numerics = record.identity.scope.numerics;
  options.flushDenormals = record.identity.scope.flushDenormals;
  options.seed = record.seed;
  options.scratch = scratch.str();
  return options;
}

static ServerCompiler::Options compilerFor(const TunerOptions &options,
                                           const std::string &target) {
  ServerCompiler::Options compiler;
  compiler.target = target;
  compiler.numerics = options.numerics;
  compiler.flushDenormals = options.flushDenormals;
  return compiler;
}

llvm::Expected<RunOutcome>
diffuse::reproduce(mlir::MLIRContext *context, const MeasurementRecord &record,
                   StringRef subgraphText,
                   const std::optional<SketchRecord> &sketch) {
  if (record.failure == FailureKind::SlowerInNetwork)
    return makeError("the line says whether a schedule was slower inside a "
                     "network; name a measurement of the schedule itself");
  const RecordScope &scope = record.identity.scope;
  llvm::Expected<NamedTarget> target = findTarget(scope.target);
  if (!target)
    return target.takeError();
  mlir::FailureOr<SketchSet> sketches = loadSketches(context, {}, false);
  if (mlir::failed(sketches))
    return makeError("the sketches of this build are broken");
  if (sketch) {
    std::unique_ptr<RecordStore> holder = openRecordStore({});
    holder->append(*sketch);
    addRecordedSketches(context, *holder, *sketches);
  }
  llvm::Expected<ModuleTasks> tasks =
      readTask(context, subgraphText, target->description, scope, *sketches);
  if (!tasks)
    return tasks.takeError();
  Candidate candidate{record.sketch, record.choices};
  if (llvm::Error error = checkCandidate(
          tasks->searchTasks.front(), target->description, record, candidate))
    return error;
  llvm::Expected<ScratchFolder> scratch = ScratchFolder::create();
  if (!scratch)
    return scratch.takeError();
  TunerOptions options = optionsOf(record, scratch->path());
  ServerCompiler compiler(compilerFor(options, target->spec));
  LocalMeasurer measurer;
  std::unique_ptr<RecordStore> records = openRecordStore({});
  Evaluator evaluator({context, tasks->tasks, tasks->searchTasks,
                       target->description, options, compiler, measurer,
                       *records});
  if (record.wrongElement)
    evaluator.lookAt(0, *record.wrongElement);
  Evaluation evaluation = evaluator.evaluate(0, candidate, {});
  if (evaluation.failure == FailureKind::None && !record.succeeded())
    evaluation = evaluator.checkOnSecondSeed(0, candidate);
  if (evaluation.failure == FailureKind::Unmeasurable)
    return makeError("it cannot be measured: " + evaluation.message);
  // What was made now is of this version.
  RecordScope now = scope;
  now.codegen = kCodegenNumber;
  now.protocol = kMeasuringProtocol;
  RecordStore::Matches made = records->lookup(now);
  if (made.empty())
    return makeError("nothing was measured");
  return static_cast<const RunOutcome &>(*made.back());
}
