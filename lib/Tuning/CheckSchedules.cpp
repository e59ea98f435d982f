// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckSchedules.h"

#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"

using namespace diffuse;
using namespace mlir;

/// Compiles `function` with a candidate; the first error, or nothing.
static std::string whyNot(func::FuncOp function, const SearchTask &task,
                          const Candidate &candidate,
                          const CodegenOptions &options) {
  std::string reason;
  ScopedDiagnosticHandler handler(
      function->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            reason.empty())
          reason = diagnostic.str();
        return success();
      });
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  if (!sketch)
    return "no such sketch takes the subgraph";
  FailureOr<OwningOpRef<ModuleOp>> schedule =
      instantiate(*sketch, candidate.choices, function.getName());
  if (succeeded(schedule) &&
      succeeded(compileSubgraph(function, **schedule,
                                (function.getName() + kTensorSuffix).str(),
                                options, "checked")))
    return "";
  return reason.empty() ? "it does not compile" : reason;
}

static void check(func::FuncOp function, const SearchTask &task,
                  const Candidate &byDefault, const CodegenOptions &options,
                  TaskOutcome &outcome, ProgressSink &progress) {
  while (outcome.best) {
    std::string reason = whyNot(function, task, *outcome.best, options);
    if (reason.empty())
      return;
    progress.warned("subgraph '" + function.getName().str() +
                    "' does not compile with " + toString(*outcome.best) +
                    ": " + reason);
    bool isDefault = *outcome.best == byDefault;
    if (isDefault)
      outcome.defaultFailure = FailureKind::CompileError;
    outcome.best.reset();
    outcome.bestMicros = outcome.plainMicros;
    if (!isDefault && !outcome.defaultFailure) {
      outcome.best = byDefault;
      outcome.bestMicros = outcome.defaultMicros;
    }
  }
}

void diffuse::checkSchedules(ModuleOp module, const ModuleTasks &tasks,
                             const TargetDescription &target,
                             const TunerOptions &options, bool isReal,
                             llvm::MutableArrayRef<TaskOutcome> outcomes,
                             ProgressSink &progress) {
  if (target.isGpu())
    return;
  CodegenOptions codegen;
  codegen.target = target;
  codegen.numerics = options.numerics;
  codegen.ftz = options.flushDenormals;
  codegen.optLevel = 0;
  for (const auto &[task, search, outcome] :
       llvm::zip_equal(tasks.tasks, tasks.searchTasks, outcomes)) {
    if (isReal && outcome.bestMicros)
      continue;
    if (options.interrupted && options.interrupted())
      return;
    auto function = module.lookupSymbol<func::FuncOp>(task.function);
    Candidate byDefault =
        defaultCandidate(search.descriptor, target, search.sketches);
    check(function, search, byDefault, codegen, outcome, progress);
  }
}
