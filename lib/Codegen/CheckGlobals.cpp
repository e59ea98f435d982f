// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckGlobals.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

/// What is wrong with a global, or nothing.
static StringRef complaint(Operation *op) {
  static constexpr StringRef kChanges =
      "can change: handles of a compiled model share nothing, so pass it as "
      "an argument and return its new value, or declare it constant";
  static constexpr StringRef kAbsent =
      "has no value in this module, and a compiled model takes none from "
      "elsewhere";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](ml_program::GlobalOp global) {
        if (global.getIsMutable())
          return kChanges;
        return isa_and_nonnull<ElementsAttr>(global.getValueAttr())
                   ? StringRef()
                   : kAbsent;
      })
      .Case([](memref::GlobalOp global) {
        if (!isa_and_nonnull<ElementsAttr>(global.getInitialValueAttr()))
          return kAbsent;
        return global.getConstant() ? StringRef() : kChanges;
      })
      .Case([](LLVM::GlobalOp global) {
        if (!global.getValueAttr() && !global.getInitializerBlock())
          return kAbsent;
        return global.getConstant() ? StringRef() : kChanges;
      })
      .Default(StringRef());
}

LogicalResult diffuse::checkGlobals(ModuleOp module) {
  bool areFine = true;
  for (Operation &op : *module.getBody()) {
    StringRef why = complaint(&op);
    if (why.empty())
      continue;
    op.emitError("global '")
        << SymbolTable::getSymbolName(&op).getValue() << "' " << why;
    areFine = false;
  }
  return success(areFine);
}
