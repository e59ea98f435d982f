// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/TuneSubgraphs.h"

#include "CheckSchedules.h"

#include "Diffuse/Graph/ClusterSubgraphs.h"
#include "Diffuse/IR/ModuleLocation.h"
#include "Diffuse/IR/Preparation.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/Measure/FakeMeasurer.h"
#include "Diffuse/Measure/LocalMeasurer.h"
#include "Diffuse/Measure/ReplayMeasurer.h"
#include "Diffuse/Measure/ReservedCore.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/ScratchFolder.h"
#include "Diffuse/Tuning/CompileServer.h"
#include "Diffuse/Tuning/NullCompiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <optional>
#include <set>

using namespace diffuse;
using namespace mlir;

/// The folder for libraries and references: the one that `wanted` names, else
/// one in `own`.
static llvm::Expected<std::string>
openScratch(llvm::StringRef wanted, std::optional<ScratchFolder> &own) {
  if (!wanted.empty()) {
    if (std::error_code error = llvm::sys::fs::create_directories(wanted))
      return makeError("cannot make the folder '" + wanted +
                       "': " + error.message());
    return wanted.str();
  }
  llvm::Expected<ScratchFolder> created = ScratchFolder::create();
  if (!created)
    return created.takeError();
  own.emplace(std::move(*created));
  return own->path().str();
}

/// What a measurer of a file is spelled with.
static constexpr llvm::StringLiteral kReplay = "replay:";

/// Of a spelling that was checked.
static llvm::Expected<std::unique_ptr<Measurer>>
createMeasurer(llvm::StringRef spec, const TunerOptions &tuner) {
  if (spec == "local")
    return std::make_unique<LocalMeasurer>(std::vector<std::string>(),
                                           tuner.interrupted);
  if (spec == "fake") {
    FakeOptions options;
    options.seed = tuner.seed;
    return std::make_unique<FakeMeasurer>(options);
  }
  spec.consume_front(kReplay);
  return openReplay(spec);
}

/// It leaves the cores alone on which `measurer` and others measure.
static ServerCompiler createCompiler(const TuneRequest &request,
                                     Measurer &measurer) {
  ServerCompiler::Options options;
  options.target = request.target;
  options.numerics = request.tuner.numerics;
  options.flushDenormals = request.tuner.flushDenormals;
  options.interrupted = request.tuner.interrupted;
  if (request.tuner.threads == 1)
    options.findCores = [&measurer] {
      std::optional<int> core = measurer.core();
      return core ? coresBeside(*core) : std::vector<int>();
    };
  return ServerCompiler(std::move(options));
}

/// Seconds since this call.
static std::function<double()> startClock() {
  auto start = std::chrono::steady_clock::now();
  return [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
}

static llvm::Regex namesOf(const TuneRequest &request) {
  return llvm::Regex(request.only.empty() ? ".*" : request.only);
}

/// The target of a request that can be carried out.
static llvm::Expected<TargetDescription>
findTarget(const TuneRequest &request) {
  llvm::StringRef measurer = request.measurer;
  if (measurer != "local" && measurer != "fake" &&
      !measurer.starts_with(kReplay))
    return makeError("unknown measurer '" + measurer +
                     "'; known are local, fake and replay:FILE");
  std::string reason;
  if (!namesOf(request).isValid(reason))
    return makeError("broken regular expression '" + request.only +
                     "': " + reason);
  llvm::Expected<TargetDescription> parsed = parseTarget(request.target);
  if (!parsed)
    return parsed.takeError();
  const TargetDescription &target = *parsed;
  if (request.measurer != "local" || request.tuner.budget.isZero())
    return parsed;
  if (target.isGpu())
    return makeError("the local measurer cannot run code for " + target.key);
  std::string lacking = missingHostFeature(target);
  if (!lacking.empty())
    return makeError("target " + target.key + " needs the CPU feature '" +
                     lacking + "', which this machine lacks");
  return parsed;
}

llvm::Error diffuse::checkRequest(const TuneRequest &request) {
  return findTarget(request).takeError();
}

/// Digest of the measurements that could count for these tasks, whatever their
/// order; empty without any.
static std::string digestRecords(const RecordStore &records,
                                 const TuneResult &result,
                                 const TunerOptions &options) {
  // Files may be merged in any order, so the lines are put into their own.
  std::set<StableHash> lines;
  for (const SearchTask &task : result.tasks.searchTasks)
    for (const MeasurementRecord *record :
         records.lookup(recordScopeOf(task, result.target, options)))
      lines.insert(stableHash(toJson(*record).dump()));
  if (lines.empty())
    return "";
  StableHasher hasher;
  for (const StableHash &line : lines)
    hasher.addHash(line);
  return hasher.finish().str();
}

static void stampProvenance(ModuleOp module, const TuneRequest &request,
                            const TuneResult &result,
                            const RecordStore &records) {
  Provenance provenance;
  provenance.target = result.target.key;
  provenance.threads = request.tuner.threads;
  provenance.numerics = request.tuner.numerics;
  provenance.flushDenormals = request.tuner.flushDenormals;
  provenance.seed = request.tuner.seed;
  provenance.records = digestRecords(records, result, request.tuner);
  setProvenance(module, provenance);
}

void diffuse::setProvenance(ModuleOp module, const TuneRequest &request,
                            const TuneResult &result) {
  stampProvenance(module, request, result, *result.store);
}

/// Hands a copy of `module` with the schedules of a snapshot to the request.
static llvm::Error takeSnapshot(ModuleOp module, const TuneRequest &request,
                                const TuneResult &result,
                                const RecordStore &records,
                                const Snapshot &snapshot) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(attachOutcome(*copy, result.tasks, snapshot.state.tasks)))
    return makeError("its schedules cannot be attached");
  stampProvenance(*copy, request, result, records);
  return request.snapshot(*copy, snapshot);
}

/// Runs the tuner on `result.tasks` with everything a request asks for.
static llvm::Error runTuner(ModuleOp module, const TuneRequest &request,
                            RecordStore &records, ProgressSink &progress,
                            TuneResult &result) {
  TunerOptions options = request.tuner;
  std::optional<ScratchFolder> ownScratch;
  llvm::Expected<std::string> scratch =
      openScratch(options.scratch, ownScratch);
  if (!scratch)
    return scratch.takeError();
  options.scratch = *scratch;
  llvm::Expected<std::unique_ptr<Measurer>> measurer =
      createMeasurer(request.measurer, options);
  if (!measurer)
    return measurer.takeError();
  if (!options.clock)
    options.clock = (*measurer)->isReal() ? startClock()
                                          : std::function([] { return 0.0; });
  llvm::Expected<std::unique_ptr<SearchStrategy>> strategy = createStrategy(
      options.strategy, result.tasks.searchTasks, result.target, options.seed);
  if (!strategy)
    return strategy.takeError();
  if (!request.records.empty())
    if (llvm::Error error = checkWritable(request.records))
      progress.warned("records of this run are kept in memory only: " +
                      llvm::toString(std::move(error)));
  std::vector<std::string> told = records.problems();
  for (const std::string &problem : told)
    progress.warned(problem);
  // Where nothing is run the server only compiles what no time stands for.
  ServerCompiler server = createCompiler(request, **measurer);
  NullCompiler none;
  CandidateCompiler &compiler =
      (*measurer)->isReal() ? static_cast<CandidateCompiler &>(server) : none;
  SnapshotMarks marks(options.budget, [&](const Snapshot &snapshot) {
    if (llvm::Error error =
            takeSnapshot(module, request, result, records, snapshot))
      progress.warned("no snapshot '" + snapshot.name +
                      "': " + llvm::toString(std::move(error)));
  });
  if (request.snapshot)
    options.advanced = [&](const TuningState &state) { marks.advance(state); };
  result.outcome = tune(module.getContext(), result.tasks.tasks,
                        result.tasks.searchTasks, result.target, options,
                        **strategy, compiler, **measurer, records, progress);
  marks.finish();
  // What a file replays was measured once.
  bool wasRun = request.measurer != "fake";
  checkSchedules(result.tasks, result.target, options, wasRun, server,
                 result.outcome.tasks, progress);
  RecordScope now;
  now.target = result.target.key;
  now.codegen = kCodegenNumber;
  result.records = records.count(now);
  result.problems = records.problems();
  for (const std::string &problem : result.problems)
    if (!llvm::is_contained(told, problem))
      progress.warned(problem);
  return llvm::Error::success();
}

/// Those that may be tuned.
static llvm::SmallVector<llvm::StringRef> subgraphNames(ModuleOp module) {
  llvm::SmallVector<llvm::StringRef> names;
  for (func::FuncOp function : collectSubgraphs(module))
    if (!isOnlyPrepared(function))
      names.push_back(function.getName());
  return names;
}

FailureOr<TuneResult> diffuse::tuneSubgraphs(ModuleOp module,
                                             const TuneRequest &request,
                                             ProgressSink &progress) {
  TuneResult result;
  llvm::Expected<TargetDescription> target = findTarget(request);
  if (!target)
    return emitError(moduleLocation(module))
           << llvm::toString(target.takeError());
  result.target = std::move(*target);
  llvm::Regex only = namesOf(request);
  if (failed(clusterSubgraphs(module)))
    return failure();
  FailureOr<SketchSet> sketches = loadSketches(
      module.getContext(), request.sketchFiles, request.onlyOwnSketches);
  if (failed(sketches))
    return failure();
  std::unique_ptr<RecordStore> records =
      openRecordStore({request.records, request.priorRecords});
  addRecordedSketches(module.getContext(), *records, *sketches);
  Numerics numerics = request.tuner.numerics;
  FailureOr<ModuleTasks> tasks =
      collectTasks(module, result.target, *sketches, numerics, only);
  if (failed(tasks))
    return failure();
  result.tasks = std::move(*tasks);
  for (const std::string &line :
       describeUnusedSketches(module, result.target, *sketches, numerics))
    progress.warned(line);
  if (!request.only.empty() && result.tasks.tasks.empty())
    return emitError(moduleLocation(module))
           << "'" << request.only << "' matches no subgraph that a sketch "
           << "takes; there are " << llvm::join(subgraphNames(module), ", ");
  if (llvm::Error error = runTuner(module, request, *records, progress, result))
    return emitError(moduleLocation(module))
           << llvm::toString(std::move(error));
  if (failed(attachOutcome(module, result.tasks, result.outcome.tasks)))
    return failure();
  result.store = std::move(records);
  setProvenance(module, request, result);
  return result;
}
