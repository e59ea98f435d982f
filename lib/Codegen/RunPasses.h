// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream passes as steps of a function. The verifier runs once at the end of
// a compilation instead of after every pass: it takes a tenth of the time.

#ifndef DIFFUSE_LIB_CODEGEN_RUNPASSES_H
#define DIFFUSE_LIB_CODEGEN_RUNPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace diffuse {

/// Builds a pipeline and runs it on `op`.
mlir::LogicalResult
runPasses(mlir::Operation *op,
          llvm::function_ref<void(mlir::OpPassManager &)> build);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_RUNPASSES_H
