// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/CompileModule.h"

#include "CompileEntry.h"
#include "PrepareEntry.h"

#include "Diffuse/Analysis/CheckConstants.h"
#include "Diffuse/Codegen/DescribeBoundary.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

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
  InFlightDiagnostic error = module.emitError();
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

/// Letters, digits and underscores that an assembler and a linker take.
static std::string symbolFor(func::FuncOp subgraph) {
  if (auto hash = subgraph->getAttrOfType<StringAttr>(kExactHashAttr))
    return ("diffuse_sg_" + hash.getValue()).str();
  std::string name = "diffuse_sg_";
  for (char c : subgraph.getSymName())
    name += llvm::isAlnum(c) ? c : '_';
  return name;
}

namespace {
/// Compiles the subgraphs that an entry reaches, each once.
class SubgraphCompiler {
public:
  SubgraphCompiler(const ScheduleProvider &schedules,
                   const CodegenOptions &options)
      : schedules(schedules), options(options) {}

  LogicalResult compile(func::FuncOp subgraph);

  SubgraphSymbols symbols;
  std::vector<CompiledObject> objects;

private:
  const ScheduleProvider &schedules;
  const CodegenOptions &options;
  llvm::StringSet<> taken;
};
} // namespace

LogicalResult SubgraphCompiler::compile(func::FuncOp subgraph) {
  std::string symbol = symbolFor(subgraph);
  while (!taken.insert(symbol).second)
    symbol += "_";
  FailureOr<SubgraphSchedule> schedule = schedules(subgraph);
  if (failed(schedule))
    return failure();
  FailureOr<CompiledObject> object = compileSubgraph(
      subgraph, schedule->module, schedule->tensorSequence, options, symbol);
  if (failed(object))
    return subgraph.emitError("cannot compile subgraph '")
           << subgraph.getSymName() << "'";
  symbols[subgraph.getSymName()] = {symbol, object->workspaceBytes};
  objects.push_back(std::move(*object));
  return success();
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

  // Schedules are found from the function in the original module; what is
  // reached is known from the copy.
  SubgraphCompiler compiler(schedules, options);
  for (func::FuncOp reached : collectSubgraphs(**prepared))
    if (failed(compiler.compile(
            module.lookupSymbol<func::FuncOp>(reached.getSymName()))))
      return failure();

  FailureOr<CompiledEntry> compiled =
      compileEntry(**prepared, entry.getSymName(), compiler.symbols, options);
  if (failed(compiled))
    return failure();
  CompiledModule result;
  result.entry = std::move(compiled->object);
  result.subgraphs = std::move(compiler.objects);
  result.boundary.assign(boundary->begin(), boundary->end());
  result.extentsSymbol = std::move(compiled->extentsSymbol);
  result.externals = std::move(compiled->externals);
  result.ordinaryBuffers = std::move(compiled->ordinaryBuffers);
  for (const std::string &name : compiled->calls)
    result.calls.push_back({name, compiler.symbols[name].symbol});
  return result;
}
