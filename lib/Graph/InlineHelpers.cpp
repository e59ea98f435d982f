// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Graph/InlineHelpers.h"

#include "Diffuse/IR/SubgraphFunction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace diffuse;
using namespace mlir;

/// The function that `call` calls and that can take its place, or null.
static func::FuncOp findHelper(func::CallOp call, SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  bool isHelper = callee && !callee.isExternal() && !callee.getNoInline();
  return isHelper ? callee : func::FuncOp();
}

namespace {
/// Counts what functions would hold with all they call in place of the calls:
/// ten functions that each call the next one twice are a thousand.
class InlinedSize {
public:
  explicit InlinedSize(SymbolTable &symbols) : symbols(symbols) {}
  uint64_t of(func::FuncOp function);

private:
  SymbolTable &symbols;
  llvm::DenseMap<Operation *, uint64_t> sizes;
};
} // namespace

uint64_t InlinedSize::of(func::FuncOp function) {
  // Of a function that is being counted, which is recursive, nothing is taken.
  auto [entry, isNew] = sizes.try_emplace(function, 1);
  if (!isNew)
    return entry->second;
  uint64_t size = 0;
  function.walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    auto helper = call ? findHelper(call, symbols) : func::FuncOp();
    size = llvm::SaturatingAdd(size, helper ? of(helper) : 1);
  });
  return sizes[function] = size;
}

static bool hasHelpers(ModuleOp module, SymbolTable &symbols) {
  return module
      .walk([&](func::CallOp call) {
        return findHelper(call, symbols) ? WalkResult::interrupt()
                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult diffuse::inlineHelpers(ModuleOp module) {
  SymbolTable symbols(module);
  if (!collectSubgraphs(module).empty() || !hasHelpers(module, symbols))
    return success();
  InlinedSize size(symbols);
  for (auto function : module.getOps<func::FuncOp>())
    if (size.of(function) > kMostInlinedOps)
      return success();
  // No patterns between: normalization decides what becomes of ops.
  PassManager passes(module.getContext());
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  return passes.run(module);
}
