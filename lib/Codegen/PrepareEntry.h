// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module as a user writes it to one that holds the entry, the subgraphs
// it calls, and as few other functions as possible.

#ifndef DIFFUSE_LIB_CODEGEN_PREPAREENTRY_H
#define DIFFUSE_LIB_CODEGEN_PREPAREENTRY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// A copy of `module` without nested modules, in which callees that are neither
/// subgraphs nor recursive are inlined into `entry`, unreachable functions are
/// gone, nothing calls `entry`, control flow is structured, and functions that
/// remain have names that no C library uses. Fails, with errors emitted, where
/// what is reached holds a global that is not constant.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
prepareEntry(mlir::ModuleOp module, llvm::StringRef entry);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_PREPAREENTRY_H
