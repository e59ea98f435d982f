// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReachedSubgraphs.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"

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
