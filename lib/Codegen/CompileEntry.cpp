// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompileEntry.h"

#include "BoundaryToBuffers.h"
#include "Bufferize.h"
#include "DecomposeOps.h"
#include "EmitObject.h"
#include "ForwardResults.h"
#include "FreeBuffers.h"
#include "LowerToLLVMDialect.h"
#include "PlaceBuffers.h"
#include "ResultExtents.h"
#include "UniformInterface.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

static constexpr StringRef kEntrySymbol = "diffuse_entry";
static constexpr StringRef kExtentsSymbol = "diffuse_extents";

namespace {
/// Lowers one module; the roots are the entry and the function of extents.
class EntryLowering {
public:
  EntryLowering(ModuleOp module, StringRef entry,
                const SubgraphSymbols &symbols, const CodegenOptions &options)
      : module(module), symbols(symbols), options(options) {
    roots.push_back(module.lookupSymbol<func::FuncOp>(entry));
  }

  FailureOr<CompiledEntry> run();

private:
  LogicalResult lowerOnTensors();
  LogicalResult placeAll();
  void writeCalls();
  void hideSymbols();
  bool isRoot(func::FuncOp function) const {
    return llvm::is_contained(roots, function);
  }

  ModuleOp module;
  const SubgraphSymbols &symbols;
  const CodegenOptions &options;
  SmallVector<func::FuncOp, 2> roots;
  CompiledEntry result;
};
} // namespace

/// Functions that others define, by the symbols they are called by.
static std::vector<std::string> findExternals(ModuleOp module) {
  std::vector<std::string> externals;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isExternal())
      continue;
    bool wrapped =
        function->hasAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
    externals.push_back((wrapped ? "_mlir_ciface_" : "") +
                        function.getSymName().str());
  }
  return externals;
}

LogicalResult EntryLowering::lowerOnTensors() {
  result.externals = findExternals(module);
  FailureOr<func::FuncOp> extents =
      createExtentsFunction(roots.front(), kExtentsSymbol);
  if (failed(extents))
    return failure();
  if (*extents) {
    roots.push_back(*extents);
    result.extentsSymbol = kExtentsSymbol.str();
  }
  callOnBuffers(module);
  if (failed(decomposeOps(module)))
    return failure();
  for (func::FuncOp root : roots)
    boundaryToBuffers(root);
  if (failed(bufferizeModule(module)))
    return failure();
  makeOperandsContiguous(module, symbols);
  return success();
}

/// Places the buffers of the roots; those of functions that remain beside them
/// have no workspace to lie in.
LogicalResult EntryLowering::placeAll() {
  uint64_t scratch = 0;
  for (const auto &subgraph : symbols)
    scratch = std::max(scratch, subgraph.second.workspaceBytes);
  uint64_t reserved =
      kEntryHeaderBytes + llvm::alignTo(scratch, kBufferAlignment);
  unsigned ordinary = 0;
  uint64_t size = reserved;
  for (func::FuncOp root : roots) {
    forwardResults(root);
    FailureOr<Placement> placement =
        placeBuffers(root, {/*maxStackBytes=*/0, reserved});
    if (failed(placement))
      return failure();
    size = std::max(size, placement->workspaceBytes);
    if (placement->ordinaryBuffers)
      result.ordinaryBuffers = "extents are known only at run time";
    ordinary += placement->ordinaryBuffers;
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !isRoot(function)) {
      result.ordinaryBuffers = "functions call one another";
      ++ordinary;
    }
  result.object.workspaceBytes = size;
  return ordinary ? freeBuffers(module) : success();
}

void EntryLowering::writeCalls() {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    if (function.isExternal())
      continue;
    Value header =
        isRoot(function) ? Value(function.getArguments().back()) : Value();
    callUniformly(function, header, symbols, result.calls);
  }
  for (func::FuncOp function : functions)
    if (symbols.contains(function.getSymName()))
      function.erase();
}

/// What the library defines itself is called directly and seen by nobody else.
/// The objects of subgraphs need not know: the strictest visibility wins.
void EntryLowering::hideSymbols() {
  llvm::StringSet<> own = {kCallHook};
  for (const auto &subgraph : symbols)
    own.insert(subgraph.second.symbol);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    StringRef name = function.getSymName();
    bool isInterface = name == kEntrySymbol || name == kExtentsSymbol;
    if (own.contains(name) || isInterface) {
      function.setVisibility_(LLVM::Visibility::Hidden);
      function.setDsoLocal(true);
    } else if (!function.isExternal()) {
      function.setLinkage(LLVM::Linkage::Internal);
    }
  }
}

FailureOr<CompiledEntry> EntryLowering::run() {
  if (failed(lowerOnTensors()) || failed(placeAll()))
    return failure();
  writeCalls();
  if (failed(lowerToLoops(module, options)) ||
      failed(wrapInUniformInterface(roots.front(), kEntrySymbol)) ||
      (roots.size() > 1 &&
       failed(wrapInUniformInterface(roots.back(), kExtentsSymbol))) ||
      failed(convertToLLVMDialect(module)) || failed(verify(module)))
    return failure();
  hideSymbols();
  result.object.symbol = kEntrySymbol.str();
  return std::move(result);
}

FailureOr<CompiledEntry> diffuse::lowerEntry(ModuleOp module, StringRef entry,
                                             const SubgraphSymbols &symbols,
                                             const CodegenOptions &options) {
  return EntryLowering(module, entry, symbols, options).run();
}

FailureOr<CompiledEntry> diffuse::compileEntry(ModuleOp module, StringRef entry,
                                               const SubgraphSymbols &symbols,
                                               const CodegenOptions &options) {
  FailureOr<CompiledEntry> lowered =
      lowerEntry(module, entry, symbols, options);
  if (failed(lowered))
    return failure();
  FailureOr<std::string> object = emitObject(module, options);
  if (failed(object))
    return failure();
  lowered->object.object = std::move(*object);
  return std::move(*lowered);
}
