// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_EXTENTRELATIONS_H
#define DIFFUSE_LIB_CODEGEN_EXTENTRELATIONS_H

#include "SymbolicExtents.h"

namespace diffuse {

/// `left == right`, or `left >= right`, over the slots of a function.
struct ExtentRelation {
  mlir::AffineExpr left;
  mlir::AffineExpr right;
  bool atLeast = false;
};

/// What the ops of a function, and of the subgraphs it calls, need. Only ops
/// that run whenever the function does.
class ExtentRelations {
public:
  explicit ExtentRelations(SymbolicExtents &extents) : extents(extents) {}

  llvm::SmallVector<ExtentRelation> collect(mlir::func::FuncOp function);

private:
  void add(mlir::Operation *op);
  void addLinalg(mlir::Operation *op);
  void addCall(mlir::func::CallOp call);
  void addSlice(mlir::Operation *op, mlir::Value large, mlir::Value small);
  void addConcat(mlir::Operation *op);
  void addExpansion(mlir::Operation *op);
  void equal(mlir::AffineExpr left, mlir::AffineExpr right);
  void equalExtents(mlir::Value left, mlir::Value right);
  void atLeast(mlir::AffineExpr left, mlir::AffineExpr right);

  SymbolicExtents &extents;
  llvm::SmallVector<ExtentRelation> relations;
  struct Callee {
    llvm::SmallVector<ExtentSlot> slots;
    llvm::SmallVector<ExtentRelation> relations;
  };
  const Callee &calleeRelations(mlir::func::FuncOp callee);
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Callee>> callees;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_EXTENTRELATIONS_H
