// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChooseSchedule.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/Preparation.h"
#include "Diffuse/IR/SubgraphFunction.h"

using namespace mlir;
using namespace diffuse;

FailureOr<SubgraphSchedule> ScheduleChooser::defaultOf(func::FuncOp subgraph) {
  if (!defaults) {
    FailureOr<DefaultSchedules> created = DefaultSchedules::create(
        context, options.codegen.target, options.codegen.numerics);
    if (failed(created))
      return failure();
    defaults.emplace(std::move(*created));
  }
  return defaults->scheduleOf(subgraph);
}

/// Nobody measures what runs once for each handle: its default schedule is all
/// that it will ever have.
static bool isUnscheduled(func::FuncOp subgraph) {
  return !subgraph->hasAttr(kScheduleAttr) &&
         !subgraph->hasAttr(kAppliedAttr) && !isOnlyPrepared(subgraph);
}

/// Names all of them: whoever has to tune them wants to know at once.
static LogicalResult reportUnscheduled(ModuleOp module) {
  for (func::FuncOp subgraph : collectSubgraphs(module))
    if (isUnscheduled(subgraph))
      subgraph.emitError("subgraph '")
          << subgraph.getSymName()
          << "' has no schedule, and --on-unscheduled=error was given";
  return failure();
}

FailureOr<SubgraphSchedule> ScheduleChooser::operator()(func::FuncOp subgraph) {
  if (options.schedules == ScheduleChoice::None)
    return SubgraphSchedule();
  if (options.schedules == ScheduleChoice::Tuned) {
    FailureOr<SubgraphSchedule> tuned = tunedSchedule(subgraph);
    if (failed(tuned) || tuned->module)
      return tuned;
    if (options.failOnUnscheduled && isUnscheduled(subgraph))
      return reportUnscheduled(subgraph->getParentOfType<ModuleOp>());
  }
  return defaultOf(subgraph);
}
