// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrepareEntry.h"
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
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function.getSymName() == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
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
  if (failed(simplifyCalls(*copy)) || failed(liftControlFlow(*copy)))
    return failure();
  renameKept(*copy, entry);
  return copy;
}
