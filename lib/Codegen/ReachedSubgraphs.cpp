// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReachedSubgraphs.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace diffuse;

std::string diffuse::subgraphSymbol(func::FuncOp subgraph) {
  if (auto hash = subgraph->getAttrOfType<StringAttr>(kExactHashAttr))
    return ("diffuse_sg_" + hash.getValue()).str();
  std::string name = "diffuse_sg_";
  for (char c : subgraph.getSymName())
    name += llvm::isAlnum(c) ? c : '_';
  return name;
}

FailureOr<SmallVector<ReachedSubgraph>>
diffuse::findReachedSubgraphs(ModuleOp module, ModuleOp prepared,
                              const ScheduleProvider &schedules) {
  SmallVector<ReachedSubgraph> reached;
  llvm::StringSet<> taken;
  for (func::FuncOp copy : collectSubgraphs(prepared)) {
    ReachedSubgraph subgraph;
    // Schedules are found from the function in the module it came from.
    subgraph.function = module.lookupSymbol<func::FuncOp>(copy.getSymName());
    subgraph.symbol = subgraphSymbol(subgraph.function);
    while (!taken.insert(subgraph.symbol).second)
      subgraph.symbol += "_";
    FailureOr<SubgraphSchedule> schedule = schedules(subgraph.function);
    if (failed(schedule))
      return failure();
    subgraph.schedule = *schedule;
    reached.push_back(std::move(subgraph));
  }
  return reached;
}

/// What made a schedule, as its sequence says it.
static std::string sketchOf(const SubgraphSchedule &schedule) {
  ModuleOp module = schedule.module;
  Operation *sequence = module.lookupSymbol(schedule.tensorSequence);
  auto selected = sequence
                      ? sequence->getAttrOfType<DictionaryAttr>(kSelectedAttr)
                      : nullptr;
  auto sketch = selected ? selected.getAs<StringAttr>("sketch") : nullptr;
  return sketch ? sketch.str() : schedule.tensorSequence;
}

LogicalResult diffuse::compileOrFallBack(
    const ReachedSubgraph &subgraph,
    llvm::function_ref<LogicalResult(const SubgraphSchedule &)> compile) {
  const SubgraphSchedule &schedule = subgraph.schedule;
  if (!schedule.module || !schedule.isDefault)
    return compile(schedule);
  std::string reason;
  {
    // Without a schedule there is nothing at fault, so errors become part of a
    // warning; the first one says most.
    ScopedDiagnosticHandler handler(
        subgraph.function->getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          if (reason.empty())
            reason = diagnostic.str();
          return success();
        });
    if (succeeded(compile(schedule)))
      return success();
  }
  func::FuncOp function = subgraph.function;
  function.emitWarning("subgraph '")
      << function.getSymName()
      << "' gets plain loops: its default schedule, by sketch '"
      << sketchOf(schedule) << "', fails: " << reason;
  return compile(SubgraphSchedule());
}
