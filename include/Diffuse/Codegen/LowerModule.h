// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole module to the LLVM dialect, for other compilers and for reading. The
// same steps as compileModule, without objects.

#ifndef DIFFUSE_CODEGEN_LOWERMODULE_H
#define DIFFUSE_CODEGEN_LOWERMODULE_H

#include "Diffuse/Codegen/CompileModule.h"

namespace diffuse {

/// Replaces the body of `module` by what `entry` needs of it, in the LLVM
/// dialect: the uniform function `diffuse_entry`, before it `diffuse_prepare`
/// where something depends on parameters alone (CompiledModule says what both
/// take), one for each subgraph, and a declaration of `diffuse_rt_call`,
/// through which they call them. Fails, leaving `module` as it was, with
/// diagnostics emitted.
mlir::LogicalResult lowerModule(mlir::ModuleOp module, mlir::func::FuncOp entry,
                                const ScheduleProvider &schedules,
                                const CodegenOptions &options);

/// The text of the LLVM IR of a module that lowerModule left, optimized.
mlir::FailureOr<std::string> printLLVM(mlir::ModuleOp module,
                                       const CodegenOptions &options);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_LOWERMODULE_H
