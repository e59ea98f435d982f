// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/ApplySchedule.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

FailureOr<bool> diffuse::applySequence(func::FuncOp function,
                                       ModuleOp schedules, StringRef name) {
  auto sequence = schedules.lookupSymbol<transform::NamedSequenceOp>(name);
  if (!sequence)
    return false;
  transform::TransformOptions options;
  options.enableExpensiveChecks(true);
  Operation *parent = function->getParentOp();
  std::string subgraph = function.getSymName().str();
  if (failed(transform::applyTransformNamedSequence(function, sequence,
                                                    schedules, options))) {
    sequence->emitError("schedule '")
        << name << "' does not apply to subgraph '" << subgraph << "'";
    return failure();
  }
  if (failed(verify(parent)))
    return failure();
  return true;
}

/// Applies a schedule to a copy, which takes the subgraph's place on success.
static LogicalResult applyToCopy(func::FuncOp subgraph,
                                 const ScheduleSequences &schedule) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(subgraph.getLoc());
  module->push_back(subgraph->clone());
  auto name = SymbolTable::getSymbolName(schedule.tensor);
  if (failed(applySequence(*module->getOps<func::FuncOp>().begin(),
                           schedule.library, name.getValue())))
    return failure();
  func::FuncOp scheduled = *module->getOps<func::FuncOp>().begin();
  scheduled->removeAttr(kScheduleAttr);
  scheduled->setAttr(kAppliedAttr, UnitAttr::get(scheduled.getContext()));
  scheduled->moveBefore(subgraph);
  subgraph.erase();
  return success();
}

LogicalResult diffuse::applySchedules(ModuleOp module,
                                      OnScheduleFailure onFailure) {
  for (func::FuncOp subgraph : collectSubgraphs(module)) {
    FailureOr<ScheduleSequences> schedule = lookupSchedule(subgraph);
    if (failed(schedule))
      return failure();
    if (!schedule->tensor)
      continue;
    LogicalResult applied = success();
    if (onFailure == OnScheduleFailure::Error) {
      applied = applyToCopy(subgraph, *schedule);
    } else {
      // Why it failed is known to whoever runs without this mode.
      ScopedDiagnosticHandler quiet(module.getContext(),
                                    [](Diagnostic &) { return success(); });
      applied = applyToCopy(subgraph, *schedule);
    }
    if (succeeded(applied))
      continue;
    if (onFailure == OnScheduleFailure::Error)
      return failure();
    subgraph.emitWarning("schedule of subgraph '")
        << subgraph.getSymName() << "' does not apply and is dropped";
    subgraph->removeAttr(kScheduleAttr);
  }
  return success();
}
