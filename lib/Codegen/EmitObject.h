// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM dialect to the bytes of an object file.

#ifndef DIFFUSE_LIB_CODEGEN_EMITOBJECT_H
#define DIFFUSE_LIB_CODEGEN_EMITOBJECT_H

#include "Diffuse/Codegen/CodegenOptions.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace diffuse {

/// Translates `module` to LLVM IR, optimizes it at the level of `options` and
/// returns an ELF object for the target. Deterministic: names and paths of the
/// source are no part of the result.
mlir::FailureOr<std::string> emitObject(mlir::ModuleOp module,
                                        const CodegenOptions &options);

/// The optimized LLVM IR that emitObject generates code for, as text.
mlir::FailureOr<std::string> emitLLVMText(mlir::ModuleOp module,
                                          const CodegenOptions &options);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_EMITOBJECT_H
