// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All questions that grouping asks about a single op.

#include "OpKinds.h"

#include "Diffuse/Analysis/DimRoles.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace diffuse;
using namespace mlir;

/// A value may cross the boundary of a subgraph: a plain tensor or a scalar.
static bool isBoundaryType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    Type element = tensor.getElementType();
    return !tensor.getEncoding() &&
           (element.isIntOrIndexOrFloat() || isa<ComplexType>(element));
  }
  return type.isIntOrIndexOrFloat() || isa<ComplexType>(type);
}

/// Everything the regions of `op` capture may cross the boundary too.
static bool hasBoundaryTypes(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isBoundaryType) ||
      !llvm::all_of(op->getResultTypes(), isBoundaryType))
    return false;
  WalkResult result = op->walk([&](Operation *inner) {
    bool fits = llvm::all_of(inner->getOperandTypes(), isBoundaryType);
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool diffuse::isOutlinable(Operation *op) {
  bool known = isa<linalg::LinalgOp, linalg::PackOp, linalg::UnPackOp,
                   tensor::PadOp, tensor::ConcatOp, tensor::GenerateOp>(op);
  if (!known || op->getNumResults() == 0)
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    if (!linalgOp.hasPureTensorSemantics())
      return false;
  return hasBoundaryTypes(op) && isMemoryEffectFree(op);
}

bool diffuse::isInSubgraph(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return isOutlinable(op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
  return callee && isSubgraph(callee);
}

bool diffuse::isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

llvm::SmallVector<unsigned> diffuse::getTensorInputs(linalg::LinalgOp op) {
  llvm::SmallVector<unsigned> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()))
      inputs.push_back(input->getOperandNumber());
  return inputs;
}

bool diffuse::isReduction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() != 0;
}

bool diffuse::isElementwiseOp(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() != 0)
    return false;
  return llvm::all_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
    return linalgOp.getMatchingIndexingMap(&init).isIdentity();
  });
}

bool diffuse::readsInit(linalg::LinalgOp op, OpOperand &init) {
  // Elements that no iteration writes keep what the init holds.
  AffineMap map = op.getMatchingIndexingMap(&init);
  if (op.payloadUsesValueFromOperand(&init))
    return true;
  return !(map.isProjectedPermutation() && op.getNumReductionLoops() == 0 &&
           map.getNumResults() == op.getNumLoops());
}

bool diffuse::isCheapInit(Operation *op) {
  if (isa<linalg::FillOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInputs() != 1 || !isElementwiseOp(op))
    return false;
  auto input =
      dyn_cast<RankedTensorType>(linalgOp.getDpsInputs().front().getType());
  return input && input.getRank() < int64_t(linalgOp.getNumLoops()) &&
         inferDimRoles(op).kind == AnchorKind::Movement;
}

bool diffuse::isCheapCast(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !isElementwiseOp(op))
    return false;
  unsigned steps = 0, casts = 0;
  for (Operation &inner : linalgOp.getBlock()->without_terminator()) {
    if (isa<arith::ConstantOp>(inner))
      continue;
    casts += isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
                 arith::UIToFPOp>(inner);
    bool cheap = isa<CastOpInterface, arith::SubFOp, arith::MulFOp,
                     arith::AddFOp, arith::SubIOp>(inner);
    if (!cheap || ++steps > 6)
      return false;
  }
  return casts > 0;
}

bool diffuse::isInlineConstant(Operation *op) {
  if (!op || !op->hasTrait<OpTrait::ConstantLike>() ||
      op->getNumResults() != 1 || op->getNumOperands() != 0)
    return false;
  auto shaped = dyn_cast<ShapedType>(op->getResult(0).getType());
  return !shaped || (shaped.hasRank() && shaped.getRank() == 0);
}

std::string diffuse::getShortName(Operation *anchor) {
  if (!isa<linalg::GenericOp>(anchor))
    return anchor->getName().stripDialect().str();
  return stringifyAnchorKind(inferDimRoles(anchor).kind).str();
}
