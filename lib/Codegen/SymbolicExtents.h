// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents inside a function as expressions over those of its arguments.

#ifndef DIFFUSE_LIB_CODEGEN_SYMBOLICEXTENTS_H
#define DIFFUSE_LIB_CODEGEN_SYMBOLICEXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace diffuse {

/// A symbol of the expressions: one for each scalar and each dynamic extent of
/// an argument, in order.
struct ExtentSlot {
  unsigned argument;
  /// -1: the value of a scalar.
  int64_t dim;
};

class SymbolicExtents {
public:
  /// `skipDestinations`: they have no slots, as in calls from outside.
  SymbolicExtents(mlir::func::FuncOp function, bool skipDestinations);

  llvm::ArrayRef<ExtentSlot> slots() const { return allSlots; }
  /// The extent of a tensor or memref; null where it is not known.
  mlir::AffineExpr of(mlir::Value shaped, int64_t dim);
  /// An index; null where it is not known.
  mlir::AffineExpr of(mlir::OpFoldResult index);
  /// What `slot` of a callee is in `call`, or null.
  mlir::AffineExpr of(mlir::func::CallOp call, ExtentSlot slot);
  /// The subgraph that `call` calls, or null.
  mlir::func::FuncOp calleeOf(mlir::func::CallOp call);

private:
  using Variable = mlir::ValueBoundsConstraintSet::Variable;
  mlir::AffineExpr solve(const Variable &variable);
  mlir::AffineExpr ofStart(mlir::Value value, std::optional<int64_t> dim);
  bool isStart(mlir::Value value) const;

  mlir::func::FuncOp function;
  mlir::SymbolTable symbols;
  llvm::SmallVector<ExtentSlot> allSlots;
  llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> numbers;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::AffineExpr> known;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_SYMBOLICEXTENTS_H
