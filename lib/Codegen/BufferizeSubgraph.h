// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first half of compiling a subgraph, the same for every target: schedule
// the tensors, then give them memory.

#ifndef DIFFUSE_LIB_CODEGEN_BUFFERIZESUBGRAPH_H
#define DIFFUSE_LIB_CODEGEN_BUFFERIZESUBGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace diffuse {

/// The function of a module that holds one. A schedule may replace the
/// operation itself, so it is looked up after each step.
inline mlir::func::FuncOp theFunction(mlir::ModuleOp module) {
  return *module.getOps<mlir::func::FuncOp>().begin();
}

/// Clones `function` into a module of its own, applies `tensorSequence` of
/// `schedules` (which may be null), turns its boundary into buffers and
/// bufferizes its body.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
bufferizeSubgraph(mlir::func::FuncOp function, mlir::ModuleOp schedules,
                  llvm::StringRef tensorSequence);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_BUFFERIZESUBGRAPH_H
