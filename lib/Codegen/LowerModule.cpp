// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/LowerModule.h"

#include "CompileEntry.h"
#include "EmitObject.h"
#include "LowerSubgraph.h"
#include "PrepareEntry.h"
#include "ReachedSubgraphs.h"

#include "Diffuse/Analysis/CheckConstants.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace diffuse;

static bool isDeclaration(Operation *op) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  return function && function.isExternal();
}

/// Renames what `source` defines for itself alone and `target` has already.
static LogicalResult avoidClashes(ModuleOp source, SymbolTable &target) {
  SymbolTable table(source);
  for (Operation &op : *source.getBody()) {
    auto name = SymbolTable::getSymbolName(&op);
    Operation *present = target.lookup(name);
    if (!present || isDeclaration(&op) || isDeclaration(present))
      continue;
    if (failed(table.renameToUnique(&op, {&target})))
      return failure();
  }
  return success();
}

/// Moves the symbols of `source` into the module of `target`; a definition
/// takes the place of a declaration.
static LogicalResult merge(ModuleOp source, SymbolTable &target) {
  if (failed(avoidClashes(source, target)))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(*source.getBody())) {
    if (Operation *present = target.lookup(SymbolTable::getSymbolName(&op))) {
      if (isDeclaration(&op))
        continue;
      target.erase(present);
    }
    op.remove();
    target.insert(&op);
  }
  return success();
}

LogicalResult diffuse::lowerModule(ModuleOp module, func::FuncOp entry,
                                   const ScheduleProvider &schedules,
                                   const CodegenOptions &options) {
  if (failed(checkConstants(module)))
    return failure();
  std::string name = entry.getSymName().str();
  FailureOr<OwningOpRef<ModuleOp>> lowered = prepareEntry(module, name);
  if (failed(lowered))
    return failure();
  auto reached = findReachedSubgraphs(module, **lowered, schedules);
  if (failed(reached))
    return failure();
  SubgraphSymbols symbols;
  SmallVector<OwningOpRef<ModuleOp>> parts;
  for (ReachedSubgraph &subgraph : *reached) {
    FailureOr<LoweredSubgraph> part = failure();
    auto compile = [&](const SubgraphSchedule &schedule) -> LogicalResult {
      part = lowerSubgraph(subgraph.function, schedule.module,
                           schedule.tensorSequence, options, subgraph.symbol);
      return part;
    };
    if (failed(compileOrFallBack(subgraph, compile)))
      return failure();
    symbols[subgraph.function.getSymName()] = {subgraph.symbol,
                                               part->workspaceBytes};
    parts.push_back(std::move(part->module));
  }
  if (failed(lowerEntry(**lowered, name, symbols, options)))
    return failure();
  SymbolTable table(**lowered);
  for (OwningOpRef<ModuleOp> &part : parts)
    if (failed(merge(*part, table)))
      return failure();
  module.getBodyRegion().takeBody((*lowered)->getBodyRegion());
  return success();
}

FailureOr<std::string> diffuse::printLLVM(ModuleOp module,
                                          const CodegenOptions &options) {
  return emitLLVMText(module, options);
}
