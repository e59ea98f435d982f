// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompileEntry.h"

#include "BoundaryToBuffers.h"
#include "Bufferize.h"
#include "EmitObject.h"
#include "ForwardResults.h"
#include "ForwardSlices.h"
#include "FreeBuffers.h"
#include "LowerToLLVMDialect.h"
#include "PlaceBuffers.h"
#include "ResultExtents.h"
#include "SplitPreparations.h"
#include "UniformInterface.h"

#include "Diffuse/Analysis/CheckSizes.h"
#include "Diffuse/Codegen/DecomposeOps.h"

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
static constexpr StringRef kPrepareSymbol = "diffuse_prepare";
static constexpr StringRef kExtentsSymbol = "diffuse_extents";

namespace {
/// A function that the interface calls by `symbol`.
struct Root {
  func::FuncOp function;
  StringRef symbol;
};

/// Lowers one module; the roots are the entry, what prepares it, and the
/// function of extents.
class EntryLowering {
public:
  EntryLowering(ModuleOp module, StringRef entry,
                const SubgraphSymbols &symbols, const CodegenOptions &options)
      : module(module), symbols(symbols), options(options) {
    roots.push_back({module.lookupSymbol<func::FuncOp>(entry), kEntrySymbol});
  }

  FailureOr<CompiledEntry> run();

private:
  LogicalResult addPrepare();
  LogicalResult addExtents();
  LogicalResult lowerOnTensors();
  LogicalResult placeAll();
  void writeCalls();
  void hideSymbols();
  /// The symbol of a root, else nothing.
  StringRef rootSymbol(func::FuncOp function) const {
    for (const Root &root : roots)
      if (root.function == function)
        return root.symbol;
    return "";
  }

  ModuleOp module;
  const SubgraphSymbols &symbols;
  const CodegenOptions &options;
  SmallVector<Root, 3> roots;
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

/// Splits off what runs once. Its buffers are the handle's, and one process
/// has to address them all.
LogicalResult EntryLowering::addPrepare() {
  func::FuncOp entry = roots.front().function;
  func::FuncOp prepare = splitPreparations(entry);
  if (!prepare)
    return success();
  uint64_t total = 0;
  for (Type type : prepare.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    std::optional<uint64_t> bytes = placeableBytes(
        MemRefType::get(tensor.getShape(), tensor.getElementType()));
    result.preparedBytes.push_back(bytes.value_or(kAddressLimit));
    total += llvm::alignTo(result.preparedBytes.back(), kBufferAlignment);
    if (total >= kAddressLimit)
      return entry.emitError("what '")
             << entry.getSymName() << "' computes from parameters alone needs "
             << "more than " << kAddressLimit
             << " bytes, which no process can address";
  }
  roots.push_back({prepare, kPrepareSymbol});
  result.prepareSymbol = kPrepareSymbol.str();
  return success();
}

/// What the extents depend on may be prepared too: both take the same inputs.
LogicalResult EntryLowering::addExtents() {
  FailureOr<func::FuncOp> extents =
      createExtentsFunction(roots.front().function, kExtentsSymbol);
  if (failed(extents))
    return failure();
  if (!*extents)
    return success();
  roots.push_back({*extents, kExtentsSymbol});
  result.extentsSymbol = kExtentsSymbol.str();
  return success();
}

LogicalResult EntryLowering::lowerOnTensors() {
  result.externals = findExternals(module);
  if (failed(addPrepare()) || failed(addExtents()))
    return failure();
  callOnBuffers(module);
  if (failed(decomposeOps(module)))
    return failure();
  for (const Root &root : roots)
    boundaryToBuffers(root.function);
  if (failed(bufferizeModule(module)))
    return failure();
  makeOperandsContiguous(module, symbols);
  allocateScratch(module, symbols);
  return success();
}

/// Places the buffers of the roots; those of functions that remain beside them
/// have no workspace to lie in.
LogicalResult EntryLowering::placeAll() {
  unsigned ordinary = 0;
  for (const Root &root : roots) {
    forwardResults(root.function);
    forwardSlices(root.function);
    FailureOr<Placement> placement =
        placeBuffers(root.function, {/*maxStackBytes=*/0, kEntryHeaderBytes});
    if (failed(placement))
      return failure();
    result.object.workspaceBytes =
        std::max(result.object.workspaceBytes, placement->workspaceBytes);
    result.object.liveBytes =
        std::max(result.object.liveBytes, placement->liveBytes);
    if (placement->ordinaryBuffers)
      result.ordinaryBuffers = "extents are known only at run time";
    ordinary += placement->ordinaryBuffers;
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && rootSymbol(function).empty()) {
      result.ordinaryBuffers = "functions call one another";
      ++ordinary;
    }
  return ordinary ? freeBuffers(module) : success();
}

void EntryLowering::writeCalls() {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    if (function.isExternal())
      continue;
    StringRef symbol = rootSymbol(function);
    Value header =
        symbol.empty() ? Value() : Value(function.getArguments().back());
    callUniformly(function, header, symbols,
                  symbol == kPrepareSymbol ? result.preparations
                                           : result.calls);
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
    bool isInterface = llvm::any_of(
        roots, [&](const Root &root) { return root.symbol == name; });
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
  if (failed(lowerToLoops(module, options)))
    return failure();
  for (const Root &root : roots)
    if (failed(wrapInUniformInterface(root.function, root.symbol)))
      return failure();
  if (failed(convertToLLVMDialect(module)) || failed(verify(module)))
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
