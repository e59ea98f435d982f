// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order of ops that does not depend on how a front end happened to print
// them.

#ifndef DIFFUSE_LIB_ANALYSIS_DATAFLOWORDER_H
#define DIFFUSE_LIB_ANALYSIS_DATAFLOWORDER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace diffuse {

/// The ops of `block` along the data flow from its terminator, operands first;
/// ops that nothing reaches come last, in their order. Values that nested
/// regions capture count as operands, after the op's own. Ops with side effects
/// keep their order among themselves.
llvm::SmallVector<mlir::Operation *> orderByDataFlow(mlir::Block &block);

} // namespace diffuse

#endif // DIFFUSE_LIB_ANALYSIS_DATAFLOWORDER_H
