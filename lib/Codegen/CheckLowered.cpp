// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckLowered.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"

using namespace mlir;
using namespace diffuse;

static bool isTranslatable(Operation *op) {
  return op->getDialect() &&
         op->getDialect()
             ->getRegisteredInterface<LLVMTranslationDialectInterface>();
}

static Operation *findLeft(ModuleOp module) {
  Operation *left = nullptr;
  module.walk([&](Operation *op) {
    if (isTranslatable(op))
      return WalkResult::advance();
    left = op;
    return WalkResult::interrupt();
  });
  return left;
}

LogicalResult diffuse::checkLowered(ModuleOp module) {
  Operation *left = findLeft(module);
  if (!left)
    return success();
  InFlightDiagnostic error = left->emitError("'");
  error << left->getName() << "'";
  if (left->getNumOperands())
    error << " on " << left->getOperandTypes();
  if (left->getNumResults())
    error << " giving " << left->getResultTypes();
  if (auto function = left->getParentOfType<FunctionOpInterface>())
    error << " in '" << function.getName() << "'";
  return error << " has no lowering to LLVM: write it with ops of arith, math, "
                  "linalg, tensor or memref on types that LLVM has";
}
