// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/ApplyRecords.h"
#include "Diffuse/IR/ModuleLocation.h"

#include "Diffuse/Tuning/TuneSubgraphs.h"

#include "llvm/Support/FileSystem.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// Warnings of the record store become warnings on the module.
struct WarningSink : ProgressSink {
  explicit WarningSink(ModuleOp module) : module(module) {}
  void warned(llvm::StringRef message) override {
    emitWarning(module.getLoc()) << message;
  }
  ModuleOp module;
};
} // namespace

/// Reports the subgraphs that records do not schedule.
static LogicalResult checkAllScheduled(ModuleOp module,
                                       const TuneResult &result) {
  bool areAll = true;
  auto report = [&](llvm::StringRef function, llvm::StringRef why) {
    areAll = false;
    emitError(module.lookupSymbol(function)->getLoc())
        << "subgraph '" << function << "' " << why;
  };
  for (const auto &[task, outcome] :
       llvm::zip_equal(result.tasks.tasks, result.outcome.tasks))
    if (!outcome.bestMicros)
      report(task.function, "is scheduled by no record");
  for (const std::string &function : result.tasks.uncovered)
    report(function, "is taken by no sketch, so no record can schedule it");
  return success(areAll);
}

LogicalResult diffuse::applyRecords(ModuleOp module,
                                    const RecordsToApply &records) {
  if (!llvm::sys::fs::exists(records.path))
    return emitError(moduleLocation(module))
           << "there is no record file '" << records.path << "'";
  TuneRequest request;
  request.target = records.target;
  request.priorRecords = {records.path};
  request.tuner.numerics = records.numerics;
  request.tuner.flushDenormals = records.flushDenormals;
  request.tuner.budget.measurements = 0;
  WarningSink sink(module);
  FailureOr<TuneResult> result = tuneSubgraphs(module, request, sink);
  if (failed(result))
    return failure();
  return records.failOnUnscheduled ? checkAllScheduled(module, *result)
                                   : success();
}
