// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitPatchLoops.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace {
/// Loop `dim` becomes an outer one and an inner one of `width` iterations.
struct Split {
  unsigned dim = 0;
  int64_t width = 0;
};
} // namespace

/// `d floordiv c` or `d mod c` of a loop d; nothing else.
static std::optional<Split> matchQuotient(AffineExpr expr) {
  if (expr.getKind() != AffineExprKind::FloorDiv &&
      expr.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  auto quotient = cast<AffineBinaryOpExpr>(expr);
  auto dim = dyn_cast<AffineDimExpr>(quotient.getLHS());
  auto divisor = dyn_cast<AffineConstantExpr>(quotient.getRHS());
  if (!dim || !divisor)
    return std::nullopt;
  return Split{dim.getPosition(), divisor.getValue()};
}

/// The widest split that the maps ask for and that divides its loop.
static std::optional<Split> findSplit(ArrayRef<AffineMap> maps,
                                      ArrayRef<int64_t> extents) {
  std::optional<Split> widest;
  for (AffineMap map : maps)
    map.walkExprs([&](AffineExpr expr) {
      std::optional<Split> split = matchQuotient(expr);
      if (split && split->width > 1 && split->width < extents[split->dim] &&
          extents[split->dim] % split->width == 0 &&
          (!widest || split->width > widest->width))
        widest = split;
    });
  return widest;
}

/// `expr` over the loops after the split: those behind it move up by one.
static AffineExpr splitExpr(AffineExpr expr, const Split &split) {
  MLIRContext *context = expr.getContext();
  AffineExpr outer = getAffineDimExpr(split.dim, context);
  AffineExpr inner = getAffineDimExpr(split.dim + 1, context);
  std::optional<Split> quotient = matchQuotient(expr);
  if (quotient && quotient->dim == split.dim) {
    bool isRemainder = expr.getKind() == AffineExprKind::Mod;
    if (quotient->width == split.width)
      return isRemainder ? inner : outer;
    if (isRemainder && split.width % quotient->width == 0)
      return inner % quotient->width;
    if (!isRemainder && quotient->width % split.width == 0)
      return outer.floorDiv(quotient->width / split.width);
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() == split.dim)
      return outer * split.width + inner;
    return dim.getPosition() < split.dim
               ? expr
               : getAffineDimExpr(dim.getPosition() + 1, context);
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    return getAffineBinaryOpExpr(expr.getKind(),
                                 splitExpr(binary.getLHS(), split),
                                 splitExpr(binary.getRHS(), split));
  return expr;
}

static Value expandResult(OpBuilder &builder, linalg::GenericOp op,
                          const Split &split) {
  Value result = op.getDpsInits()[0];
  auto type = cast<MemRefType>(result.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    ReassociationIndices &group = groups.emplace_back();
    if (dim == split.dim) {
      group.push_back(shape.size());
      shape.push_back(extent / split.width);
    }
    group.push_back(shape.size());
    shape.push_back(dim == split.dim ? split.width : extent);
  }
  return memref::ExpandShapeOp::create(builder, op.getLoc(), shape, result,
                                       groups);
}

static linalg::GenericOp splitLoop(linalg::GenericOp op, const Split &split) {
  OpBuilder builder(op);
  unsigned loops = op.getNumLoops() + 1;
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray()) {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : map.getResults())
      exprs.push_back(splitExpr(expr, split));
    maps.push_back(AffineMap::get(loops, 0, exprs, op.getContext()));
  }
  maps.back() = builder.getMultiDimIdentityMap(loops);
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  auto rewritten = linalg::GenericOp::create(
      builder, op.getLoc(), TypeRange(), op.getDpsInputs(),
      ValueRange(expandResult(builder, op, split)), maps, iterators);
  rewritten.getRegion().takeBody(op.getRegion());
  op.erase();
  return rewritten;
}

/// All of the result is written, in the order in which it stands in memory.
static bool isCandidate(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op.hasIndexSemantics())
    return false;
  auto type = dyn_cast<MemRefType>(op.getDpsInits()[0].getType());
  return type && type.hasStaticShape() && type.getLayout().isIdentity() &&
         op.getIndexingMapsArray().back().isIdentity();
}

void diffuse::splitPatchLoops(ModuleOp module) {
  SmallVector<linalg::GenericOp> ops;
  module.walk([&](linalg::GenericOp op) {
    if (isCandidate(op))
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops) {
    auto nextSplit = [&] {
      return findSplit(op.getIndexingMapsArray(), op.getStaticLoopRanges());
    };
    while (std::optional<Split> split = nextSplit())
      op = splitLoop(op, *split);
  }
}
