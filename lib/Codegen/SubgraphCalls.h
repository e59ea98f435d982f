// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of subgraphs on their way from tensors to the uniform interface:
//
//   %e = tensor.empty() : tensor<8xf32>
//   %r = call @f(%a, %e)
//
// becomes, before bufferization, a call that returns nothing
//
//   %in = bufferization.to_buffer %a read_only
//   %out = memref.alloc() : memref<8xf32>
//   call @f(%in, %out)
//   %r = bufferization.to_tensor %out restrict writable
//
// and, after buffers are placed, stores of pointers and extents into two arrays
// and a call of the runtime, which calls the symbol of the subgraph.

#ifndef DIFFUSE_LIB_CODEGEN_SUBGRAPHCALLS_H
#define DIFFUSE_LIB_CODEGEN_SUBGRAPHCALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace diffuse {

/// What a call needs to know of a compiled subgraph.
struct SubgraphSymbol {
  std::string symbol;
  uint64_t workspaceBytes = 0;
};

/// By the name of the subgraph function.
using SubgraphSymbols = llvm::StringMap<SubgraphSymbol>;

/// Name of the runtime's function that calls a subgraph and tells the profile
/// callback.
inline constexpr llvm::StringLiteral kCallHook = "diffuse_rt_call";

/// Rewrites the calls of subgraphs in `module` to calls on buffers and the
/// subgraphs to declarations. Inputs may have any layout.
void callOnBuffers(mlir::ModuleOp module);

/// The buffer itself below casts that only forget its layout.
mlir::Value stripCasts(mlir::Value buffer);

/// After bufferization: copies operands that are not row-major into buffers
/// that are.
void makeOperandsContiguous(mlir::ModuleOp module,
                            const SubgraphSymbols &symbols);

/// Appends to each declared subgraph that needs a workspace an argument for it
/// and to each call a buffer, which is so in use during the call alone.
void allocateScratch(mlir::ModuleOp module, const SubgraphSymbols &symbols);

/// Rewrites the calls in `function`, as allocateScratch leaves them, to the
/// uniform interface and appends the name of each callee to `calls`. `header`,
/// which may be null, is the buffer at whose start the runtime's header lies.
void callUniformly(mlir::func::FuncOp function, mlir::Value header,
                   const SubgraphSymbols &symbols,
                   llvm::SmallVectorImpl<std::string> &calls);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_SUBGRAPHCALLS_H
