// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked of the types of tensors.

#ifndef DIFFUSE_LIB_GRAPH_TENSORTYPES_H
#define DIFFUSE_LIB_GRAPH_TENSORTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

namespace diffuse {

/// The type of a value that is known to be a ranked tensor.
inline mlir::RankedTensorType getType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Whether all extents of the tensors that `op` takes and gives are known, and
/// none is 0.
inline bool areStatic(mlir::Operation *op) {
  auto isStatic = [](mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return !tensor || (tensor.hasStaticShape() && tensor.getNumElements() > 0);
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_TENSORTYPES_H
