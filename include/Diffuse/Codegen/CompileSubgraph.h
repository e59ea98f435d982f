// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One subgraph function in, one object file out. Measuring and the final
// library both call this one function, so what is measured is what ships.

#ifndef DIFFUSE_CODEGEN_COMPILESUBGRAPH_H
#define DIFFUSE_CODEGEN_COMPILESUBGRAPH_H

#include "Diffuse/Codegen/CodegenOptions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir {
class DialectRegistry;
}

namespace diffuse {

/// An ELF object that defines one function of the uniform interface
///
///   int32_t symbol(void *const *buffers, const int64_t *slots, void *work);
///
/// `buffers` holds a data pointer for each tensor argument, in argument order.
/// `slots` holds, also in argument order, one 8-byte slot for each scalar (its
/// bits, zero-extended) and one for each dynamic extent of a tensor argument.
/// `work` points to `workspaceBytes` bytes aligned to kBufferAlignment. Buffers
/// are row-major, need their element's alignment only and must not overlap.
/// The function returns 0.
struct CompiledObject {
  std::string object;
  std::string symbol;
  uint64_t workspaceBytes = 0;
  /// How much of it is in use at one time: no placement of the buffers in it
  /// makes it smaller.
  uint64_t liveBytes = 0;
};

/// Registers every dialect, interface and translation that code generation
/// needs.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Compiles a copy of `function`; the original stays as it is. Its destinations
/// are its last arguments, one for each result.
///
/// `schedules` may be null: then everything is lowered to plain loops.
/// Otherwise `tensorSequence` names the sequence `NAME__tensor` in it, applied
/// before bufferization, which must be there; `NAME__vector` is applied
/// afterwards where it exists. Ops that the schedule leaves are lowered to
/// plain loops.
///
/// The same input gives the same bytes. Fails with diagnostics emitted on the
/// function's context.
mlir::FailureOr<CompiledObject> compileSubgraph(mlir::func::FuncOp function,
                                                mlir::ModuleOp schedules,
                                                llvm::StringRef tensorSequence,
                                                const CodegenOptions &options,
                                                llvm::StringRef symbol);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_COMPILESUBGRAPH_H
