// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/ApplySchedule.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using llvm::StringRef;

FailureOr<bool> diffuse::applySequence(func::FuncOp function,
                                       ModuleOp schedules, StringRef name) {
  auto sequence = schedules.lookupSymbol<transform::NamedSequenceOp>(name);
  if (!sequence)
    return false;
  transform::TransformOptions options;
  options.enableExpensiveChecks(true);
  Operation *parent = function->getParentOp();
  std::string subgraph = function.getSymName().str();
  if (failed(transform::applyTransformNamedSequence(function, sequence,
                                                    schedules, options))) {
    sequence->emitError("schedule '")
        << name << "' does not apply to subgraph '" << subgraph << "'";
    return failure();
  }
  if (failed(verify(parent)))
    return failure();
  return true;
}
