// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What combines the partial results of a reduction, and whether the order of
// its steps matters.

#include "Diffuse/Analysis/DimRoles.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace diffuse;
using namespace mlir;

FailureOr<llvm::SmallVector<llvm::SmallVector<Operation *>>>
diffuse::findCombiners(linalg::LinalgOp op) {
  llvm::SmallVector<llvm::SmallVector<Operation *>> lists;
  ArrayRef<BlockArgument> carried = op.getRegionOutputArgs();
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
    if (map.getNumResults() == op.getNumLoops())
      continue;
    llvm::SmallVector<Operation *> combiners;
    if (!matchReduction(carried, i, combiners))
      return failure();
    lists.push_back(combiners);
  }
  return lists;
}

/// Ops that are associative, up to rounding, and commutative.
static bool isOrderFree(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
             arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             complex::AddOp, complex::MulOp>(op);
}

bool diffuse::mayReorderReductions(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return true;
  auto combiners = findCombiners(op);
  if (failed(combiners))
    return false;
  return llvm::all_of(*combiners, [](ArrayRef<Operation *> list) {
    return list.size() == 1 && isOrderFree(list.front());
  });
}
