// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/CompileModule.h"

#include "CompileEntry.h"
#include "PrepareEntry.h"
#include "ReachedSubgraphs.h"

#include "Diffuse/Analysis/CheckConstants.h"
#include "Diffuse/Codegen/DescribeBoundary.h"
#include "Diffuse/IR/ModuleLocation.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

FailureOr<SubgraphSchedule> diffuse::tunedSchedule(func::FuncOp subgraph) {
  FailureOr<ScheduleSequences> found = lookupSchedule(subgraph);
  if (failed(found))
    return failure();
  SubgraphSchedule schedule;
  if (!found->library)
    return schedule;
  schedule.module = found->library;
  schedule.tensorSequence =
      subgraph->getAttrOfType<SymbolRefAttr>(kScheduleAttr)
          .getLeafReference()
          .str();
  return schedule;
}

bool diffuse::isRunnerFunction(StringRef symbol) {
  symbol.consume_front("_mlir_ciface_");
  static constexpr StringRef known[] = {"rtclock", "rtsrand", "rtrand",
                                        "rtdrand", "rtshuffle"};
  static constexpr StringRef prefixes[] = {"printMemref", "verifyMemRef"};
  return llvm::is_contained(known, symbol) ||
         llvm::any_of(prefixes, [&](StringRef prefix) {
           return symbol.starts_with(prefix);
         });
}

static SmallVector<func::FuncOp> publicFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function.isPublic() && !isSubgraph(function))
      functions.push_back(function);
  return functions;
}

FailureOr<func::FuncOp> diffuse::findEntry(ModuleOp module,
                                           StringRef requested) {
  StringRef wanted = requested.empty() ? "main" : requested;
  auto found = module.lookupSymbol<func::FuncOp>(wanted);
  if (found && !found.isExternal())
    return found;
  SmallVector<func::FuncOp> candidates = publicFunctions(module);
  if (requested.empty() && candidates.size() == 1)
    return candidates.front();
  InFlightDiagnostic error = emitError(moduleLocation(module));
  if (candidates.empty()) {
    error << "nothing to do: the module has no public function with a body";
    return failure();
  }
  if (requested.empty())
    error << "several functions may be the entry, name one with --entry: ";
  else
    error << "no function '" << requested
          << "' with a body; public functions are: ";
  error << llvm::join(llvm::map_range(candidates,
                                      [](func::FuncOp function) {
                                        return function.getSymName().str();
                                      }),
                      ", ");
  return failure();
}

LogicalResult diffuse::checkEntry(ModuleOp module, func::FuncOp entry) {
  return prepareEntry(module, entry.getSymName());
}

FailureOr<CompiledModule>
diffuse::compileModule(ModuleOp module, func::FuncOp entry,
                       const ScheduleProvider &schedules,
                       const CodegenOptions &options) {
  if (failed(checkConstants(module)))
    return failure();
  FailureOr<SmallVector<BoundaryArgument>> boundary = describeBoundary(entry);
  if (failed(boundary))
    return failure();
  FailureOr<OwningOpRef<ModuleOp>> prepared =
      prepareEntry(module, entry.getSymName());
  if (failed(prepared))
    return failure();

  auto reached = findReachedSubgraphs(module, **prepared, schedules);
  if (failed(reached))
    return failure();
  CompiledModule result;
  result.extentRules = findExtentRules(
      (*prepared)->lookupSymbol<func::FuncOp>(entry.getSymName()), *boundary);
  SubgraphSymbols symbols;
  for (ReachedSubgraph &subgraph : *reached) {
    FailureOr<CompiledObject> object = failure();
    auto compile = [&](const SubgraphSchedule &schedule) -> LogicalResult {
      object =
          compileSubgraph(subgraph.function, schedule.module,
                          schedule.tensorSequence, options, subgraph.symbol);
      return object;
    };
    if (failed(compileOrFallBack(subgraph, compile)))
      return failure();
    symbols[subgraph.function.getSymName()] = {subgraph.symbol,
                                               object->workspaceBytes};
    result.subgraphs.push_back(std::move(*object));
  }
  FailureOr<CompiledEntry> compiled =
      compileEntry(**prepared, entry.getSymName(), symbols, options);
  if (failed(compiled))
    return failure();
  result.entry = std::move(compiled->object);
  result.boundary.assign(boundary->begin(), boundary->end());
  result.extentsSymbol = std::move(compiled->extentsSymbol);
  result.externals = std::move(compiled->externals);
  result.ordinaryBuffers = std::move(compiled->ordinaryBuffers);
  result.prepareSymbol = std::move(compiled->prepareSymbol);
  result.preparedBytes = std::move(compiled->preparedBytes);
  for (const std::string &name : compiled->calls)
    result.calls.push_back({name, symbols[name].symbol});
  for (const std::string &name : compiled->preparations)
    result.preparations.push_back({name, symbols[name].symbol});
  return result;
}
