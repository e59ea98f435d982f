// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChooseSchedule.h"

#include "Diffuse/IR/Names.h"

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

FailureOr<SubgraphSchedule> ScheduleChooser::operator()(func::FuncOp subgraph) {
  if (options.schedules == ScheduleChoice::None)
    return SubgraphSchedule();
  if (options.schedules == ScheduleChoice::Tuned) {
    FailureOr<SubgraphSchedule> tuned = tunedSchedule(subgraph);
    if (failed(tuned) || tuned->module)
      return tuned;
    if (options.failOnUnscheduled && !subgraph->hasAttr(kAppliedAttr))
      return subgraph.emitError("subgraph '")
             << subgraph.getSymName()
             << "' has no schedule, and --on-unscheduled=error was given";
  }
  return defaultOf(subgraph);
}
