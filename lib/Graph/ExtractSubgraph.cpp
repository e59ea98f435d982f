// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caller makes destinations of its own and passes its arguments through, so
// the extracted module compiles, runs and can be tuned like any other.

#include "Diffuse/Graph/ExtractSubgraph.h"

#include "Diffuse/IR/ModuleLocation.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"
#include "Diffuse/IR/SubgraphFunction.h"

using namespace diffuse;
using namespace mlir;

static LogicalResult reportMissing(ModuleOp module, StringRef name) {
  InFlightDiagnostic error = emitError(moduleLocation(module))
                             << "no subgraph named '" << name << "'";
  Diagnostic &note = error.attachNote(module.getLoc());
  note << "subgraphs are:";
  for (func::FuncOp function : collectSubgraphs(module))
    note << " " << function.getName();
  return error;
}

/// A public function that passes its arguments through, destinations included:
/// the caller decides on extents and on memory.
static void addCaller(ModuleOp module, func::FuncOp subgraph) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = subgraph.getLoc();
  auto caller =
      func::FuncOp::create(builder, loc, "main", subgraph.getFunctionType());
  for (unsigned i = 0, e = subgraph.getNumArguments(); i < e; ++i)
    if (Attribute parameter = subgraph.getArgAttr(i, kParameterAttr))
      caller.setArgAttr(i, kParameterAttr, parameter);
  builder.setInsertionPointToEnd(caller.addEntryBlock());
  auto call =
      func::CallOp::create(builder, loc, subgraph, caller.getArguments());
  func::ReturnOp::create(builder, loc, call.getResults());
}

LogicalResult diffuse::extractSubgraph(ModuleOp module, StringRef name) {
  auto subgraph = module.lookupSymbol<func::FuncOp>(name);
  if (!subgraph || !isSubgraph(subgraph))
    return reportMissing(module, name);
  FailureOr<ScheduleSequences> schedule = lookupSchedule(subgraph);
  if (failed(schedule))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (&op != subgraph && &op != schedule->library)
      op.erase();
  if (schedule->library)
    for (Operation &op :
         llvm::make_early_inc_range(*schedule->library.getBody()))
      if (&op != schedule->prepare && &op != schedule->tensor &&
          &op != schedule->vector)
        op.erase();
  Builder builder(module.getContext());
  subgraph->setAttr(kCallsAttr, builder.getI64IntegerAttr(1));
  if (name == "main")
    subgraph.setName("subgraph_main");
  addCaller(module, subgraph);
  return success();
}
