// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_LOWERSUBGRAPH_H
#define DIFFUSE_LIB_CODEGEN_LOWERSUBGRAPH_H

#include "Diffuse/Codegen/CompileSubgraph.h"

namespace diffuse {

/// A subgraph as a module of the LLVM dialect that defines its symbol.
struct LoweredSubgraph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  uint64_t workspaceBytes = 0;
  uint64_t liveBytes = 0;
};

/// All of compileSubgraph before LLVM IR.
mlir::FailureOr<LoweredSubgraph> lowerSubgraph(mlir::func::FuncOp function,
                                               mlir::ModuleOp schedules,
                                               llvm::StringRef tensorSequence,
                                               const CodegenOptions &options,
                                               llvm::StringRef symbol);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_LOWERSUBGRAPH_H
