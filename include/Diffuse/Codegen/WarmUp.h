// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compilation for its own sake.

#ifndef DIFFUSE_CODEGEN_WARMUP_H
#define DIFFUSE_CODEGEN_WARMUP_H

#include "Diffuse/Codegen/CompileSubgraph.h"

#include "mlir/IR/MLIRContext.h"

namespace diffuse {

/// Compiles a small scheduled matrix product in `context`. What a process sets
/// up in its first compilation (dialects, patterns, the tables of LLVM's code
/// generator, symbols bound late) is then there for the children forked from
/// it, which without it take a tenth longer each. The object links by itself,
/// into a library that nobody wants.
mlir::FailureOr<CompiledObject> warmUpCompiler(mlir::MLIRContext *context,
                                               const CodegenOptions &options);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_WARMUP_H
