// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles are read off the indexing maps and the combiner. Upstream's inference
// wants exactly two operands and a bare product in the body, but quantized and
// cast forms are contractions and convolutions too.

#include "Diffuse/Analysis/DimRoles.h"

#include "WindowRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace diffuse;
using namespace mlir;

static bool isAddition(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp, complex::AddOp>(op))
    return true;
  // linalg's named contractions mean and/or on i1.
  return isa<arith::OrIOp>(op) && op->getResult(0).getType().isInteger(1);
}

/// The indexing maps of the two factors and the sum; fails when `op` has not
/// exactly two tensor inputs and one result. A factor may be read at 0 of some
/// dimension.
static FailureOr<llvm::SmallVector<AffineMap, 3>>
getContractionMaps(linalg::LinalgOp op) {
  llvm::SmallVector<AffineMap, 3> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()))
      maps.push_back(op.getMatchingIndexingMap(input));
  if (maps.size() != 2 || op.getNumDpsInits() != 1)
    return failure();
  maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  bool plain = llvm::all_of(maps, [](AffineMap map) {
    return map.isProjectedPermutation(/*allowZeroInResults=*/true);
  });
  if (!plain || !maps.back().isProjectedPermutation())
    return failure();
  return maps;
}

static bool isProduct(Operation *op) {
  if (isa<arith::MulFOp, arith::MulIOp, complex::MulOp>(op))
    return true;
  return isa<arith::AndIOp>(op) && op->getResult(0).getType().isInteger(1);
}

/// The op that makes `value`, casts skipped; null for a block argument.
static Operation *getMaker(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isa<CastOpInterface>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// The body adds a product to the accumulator, and nothing else to it.
static bool sumsProducts(linalg::LinalgOp op) {
  if (op.hasIndexSemantics())
    return false;
  auto combiners = findCombiners(op);
  if (failed(combiners) || combiners->size() != 1 ||
      combiners->front().size() != 1)
    return false;
  Operation *sum = combiners->front().front();
  if (!isAddition(sum))
    return false;
  return llvm::any_of(sum->getOperands(), [](Value operand) {
    Operation *maker = getMaker(operand);
    return maker && isProduct(maker);
  });
}

FailureOr<ContractionRoles>
diffuse::inferContractionRoles(linalg::LinalgOp op) {
  auto maps = getContractionMaps(op);
  if (failed(maps) || op.getNumReductionLoops() == 0 || !sumsProducts(op))
    return failure();
  auto [left, right, sum] = std::tuple((*maps)[0], (*maps)[1], (*maps)[2]);
  ContractionRoles roles;
  for (AffineExpr result : sum.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    bool inLeft = left.isFunctionOfDim(loop);
    bool inRight = right.isFunctionOfDim(loop);
    if (inLeft == inRight)
      (inLeft ? roles.batch : roles.n).push_back(loop);
    else
      (inLeft ? roles.m : roles.n).push_back(loop);
  }
  for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop)
    if (!sum.isFunctionOfDim(loop) && left.isFunctionOfDim(loop) &&
        right.isFunctionOfDim(loop))
      roles.k.push_back(loop);
  size_t covered =
      roles.batch.size() + roles.m.size() + roles.n.size() + roles.k.size();
  bool hasOuter = !roles.m.empty() || !roles.n.empty();
  if (roles.k.empty() || !hasOuter || covered != op.getNumLoops())
    return failure();
  return roles;
}

static void setRoles(DimRoles &roles, ArrayRef<unsigned> loops, DimRole role) {
  for (unsigned loop : loops)
    roles.dims[loop].role = role;
}

static bool setContraction(linalg::LinalgOp op, DimRoles &roles) {
  FailureOr<ContractionRoles> found = inferContractionRoles(op);
  if (failed(found))
    return false;
  roles.kind = AnchorKind::Contraction;
  setRoles(roles, found->batch, DimRole::Batch);
  setRoles(roles, found->m, DimRole::M);
  setRoles(roles, found->n, DimRole::N);
  setRoles(roles, found->k, DimRole::K);
  return true;
}

/// A convolution sums; a pooling may combine by any op.
static bool setWindowed(linalg::LinalgOp op, DimRoles &roles) {
  DimRoles found = roles;
  if (!setWindowRoles(op, found))
    return false;
  if (found.kind != AnchorKind::Pooling && !sumsProducts(op))
    return false;
  roles = found;
  return true;
}

/// True when `op` yields its input unchanged.
static bool onlyMoves(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(op) || op.getNumDpsInits() != 1)
    return false;
  Operation *yield = op.getBlock()->getTerminator();
  auto argument = dyn_cast<BlockArgument>(yield->getOperand(0));
  return argument && argument.getOwner() == op.getBlock() &&
         argument.getArgNumber() < op.getNumDpsInputs() &&
         isa<ShapedType>(
             op.getDpsInputOperand(argument.getArgNumber())->get().getType());
}

static DimRoles inferLinalgRoles(linalg::LinalgOp op) {
  DimRoles roles;
  auto iterators = op.getIteratorTypesArray();
  for (auto [extent, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), iterators)) {
    bool parallel = iterator == utils::IteratorType::parallel;
    roles.dims.push_back(
        {parallel ? DimRole::Parallel : DimRole::Reduction, extent});
  }
  if (setWindowed(op, roles) || setContraction(op, roles))
    return roles;
  if (op.getNumReductionLoops() != 0)
    roles.kind = AnchorKind::Reduction;
  else
    roles.kind = onlyMoves(op) ? AnchorKind::Movement : AnchorKind::Elementwise;
  return roles;
}

static bool isMovementOp(Operation *op) {
  return isa<tensor::PadOp, tensor::ConcatOp, linalg::PackOp, linalg::UnPackOp>(
      op);
}

DimRoles diffuse::inferDimRoles(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return inferLinalgRoles(linalgOp);
  DimRoles roles;
  roles.kind = isMovementOp(op) ? AnchorKind::Movement : AnchorKind::Other;
  if (op->getNumResults() == 0)
    return roles;
  if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
    for (int64_t extent : type.getShape())
      roles.dims.push_back({DimRole::Parallel, extent});
  return roles;
}
