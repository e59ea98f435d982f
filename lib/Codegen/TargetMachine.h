// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's code generator and optimizer for one target.

#ifndef DIFFUSE_LIB_CODEGEN_TARGETMACHINE_H
#define DIFFUSE_LIB_CODEGEN_TARGETMACHINE_H

#include "Diffuse/Codegen/CodegenOptions.h"

#include "mlir/IR/Operation.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace diffuse {

/// Fails with an error at `at` where this LLVM has no code generator for the
/// target.
mlir::FailureOr<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(mlir::Operation *at, const CodegenOptions &options);

/// Runs LLVM's standard pipeline of `level`, 0 to 3.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    int level);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_TARGETMACHINE_H
