// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Analysis/ScatteredAccess.h"

using namespace mlir;

static bool isRising(AffineExpr expr) {
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (expr.getKind() == AffineExprKind::Add)
      return isRising(binary.getLHS()) && isRising(binary.getRHS());
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return expr.getKind() == AffineExprKind::Mul && factor &&
           factor.getValue() >= 0 && isRising(binary.getLHS());
  }
  return isa<AffineDimExpr, AffineConstantExpr>(expr);
}

static bool isScattered(AffineMap map) {
  return !llvm::all_of(map.getResults(), isRising);
}

bool diffuse::hasScatteredAccess(linalg::LinalgOp op) {
  return llvm::any_of(op.getIndexingMapsArray(), isScattered);
}
