// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrepareEntry.h"
#include "CheckGlobals.h"
#include "RunPasses.h"

#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

static void eraseNestedModules(ModuleOp module) {
  for (auto nested :
       llvm::make_early_inc_range(module.getBody()->getOps<ModuleOp>()))
    nested.erase();
}

/// Everything but the entry becomes private, so that what is not reached goes.
static void setVisibilities(ModuleOp module, StringRef entry) {
  for (auto symbol : module.getOps<SymbolOpInterface>())
    symbol.setVisibility(symbol.getName() == entry
                             ? SymbolTable::Visibility::Public
                             : SymbolTable::Visibility::Private);
}

/// An entry that is called from inside becomes a function of its own, called by
/// a new entry: the boundary of the entry changes, and calls would not.
///
///   func @main(%n) { ... call @main(%m) ... }
///   ->
///   func private @main_0(%n) { ... call @main_0(%m) ... }
///   func @main(%n) { %r = call @main_0(%n); return %r }
static LogicalResult splitRecursiveEntry(ModuleOp module, StringRef name) {
  SymbolTable symbols(module);
  auto inner = symbols.lookup<func::FuncOp>(name);
  if (SymbolTable::symbolKnownUseEmpty(inner, module))
    return success();
  func::FuncOp entry = inner.cloneWithoutRegions();
  if (failed(symbols.renameToUnique(inner, {})))
    return failure();
  inner.setPrivate();
  module.push_back(entry);
  OpBuilder builder = OpBuilder::atBlockEnd(entry.addEntryBlock());
  Location loc = entry.getLoc();
  auto call = func::CallOp::create(builder, loc, inner, entry.getArguments());
  func::ReturnOp::create(builder, loc, call.getResults());
  return success();
}

static LogicalResult simplifyCalls(ModuleOp module) {
  return runPasses(module, [](OpPassManager &pm) {
    pm.addPass(createSymbolDCEPass());
    pm.addPass(createInlinerPass());
    pm.addPass(createSymbolDCEPass());
  });
}

/// Deallocation and the planning of buffers want structured control flow.
static LogicalResult liftControlFlow(ModuleOp module) {
  bool structured =
      llvm::all_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isExternal() || function.getBody().hasOneBlock();
      });
  if (structured)
    return success();
  return runPasses(module, [](OpPassManager &pm) {
    pm.addPass(createLiftControlFlowToSCFPass());
    pm.addPass(createCanonicalizerPass());
  });
}

/// A function that a user calls `malloc` must not become the one that buffers
/// are taken from.
static void renameKept(ModuleOp module, StringRef entry) {
  SymbolTable symbols(module);
  unsigned number = 0;
  SmallVector<func::FuncOp> kept;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !isSubgraph(function) &&
        function.getSymName() != entry)
      kept.push_back(function);
  for (func::FuncOp function : kept)
    (void)symbols.rename(function, "diffuse_user_" + std::to_string(number++));
}

FailureOr<OwningOpRef<ModuleOp>> diffuse::prepareEntry(ModuleOp module,
                                                       StringRef entry) {
  OwningOpRef<ModuleOp> copy = module.clone();
  eraseNestedModules(*copy);
  setVisibilities(*copy, entry);
  if (failed(simplifyCalls(*copy)) || failed(checkGlobals(*copy)) ||
      failed(splitRecursiveEntry(*copy, entry)) ||
      failed(liftControlFlow(*copy)))
    return failure();
  renameKept(*copy, entry);
  return copy;
}
