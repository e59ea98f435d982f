// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExtentRelations.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace diffuse;

static bool isRanked(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank();
}

void ExtentRelations::equal(AffineExpr left, AffineExpr right) {
  if (left && right && left != right)
    relations.push_back({left, right, false});
}

void ExtentRelations::atLeast(AffineExpr left, AffineExpr right) {
  if (left && right)
    relations.push_back({left, right, true});
}

void ExtentRelations::equalExtents(Value left, Value right) {
  if (!isRanked(left) || !isRanked(right))
    return;
  int64_t rank = cast<ShapedType>(left.getType()).getRank();
  if (rank == cast<ShapedType>(right.getType()).getRank())
    for (int64_t dim = 0; dim < rank; ++dim)
      equal(extents.of(left, dim), extents.of(right, dim));
}

/// Whether `expr` grows with each of its dimensions, so that it is largest
/// where they are.
static bool isGrowing(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (isa<AffineDimExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary &&
         (expr.getKind() == AffineExprKind::Add ||
          expr.getKind() == AffineExprKind::Mul) &&
         isGrowing(binary.getLHS()) && isGrowing(binary.getRHS());
}

/// Loops take their extents from the first operand that tells; the others must
/// have as many elements, or, where the index is computed (windows), enough.
void ExtentRelations::addLinalg(Operation *op) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  SmallVector<AffineExpr> loops(linalgOp.getNumLoops());
  using Visit = function_ref<void(AffineExpr index, AffineExpr extent)>;
  auto visit = [&](Visit visitor) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isRanked(operand.get()))
        continue;
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      for (auto [dim, index] : llvm::enumerate(map.getResults()))
        visitor(index, extents.of(operand.get(), dim));
    }
  };
  visit([&](AffineExpr index, AffineExpr extent) {
    if (auto dim = dyn_cast<AffineDimExpr>(index)) {
      equal(extent, loops[dim.getPosition()]);
      if (extent && !loops[dim.getPosition()])
        loops[dim.getPosition()] = extent;
    }
  });
  visit([&](AffineExpr index, AffineExpr extent) {
    if (isa<AffineDimExpr>(index) || !isGrowing(index))
      return;
    SmallVector<AffineExpr> last;
    for (auto [number, loop] : llvm::enumerate(loops)) {
      if (!loop && index.isFunctionOfDim(number))
        return;
      last.push_back(loop ? loop - 1
                          : getAffineDimExpr(number, index.getContext()));
    }
    atLeast(extent, index.replaceDims(last) + 1);
  });
}

const ExtentRelations::Callee &
ExtentRelations::calleeRelations(func::FuncOp callee) {
  std::unique_ptr<Callee> &entry = callees[callee];
  if (!entry) {
    entry = std::make_unique<Callee>();
    SymbolicExtents inside(callee, /*skipDestinations=*/false);
    ExtentRelations own(inside);
    entry->slots.assign(inside.slots().begin(), inside.slots().end());
    entry->relations = own.collect(callee);
  }
  return *entry;
}

void ExtentRelations::addCall(func::CallOp call) {
  func::FuncOp function = extents.calleeOf(call);
  if (!function)
    return;
  const Callee &callee = calleeRelations(function);
  SmallVector<AffineExpr> given;
  for (ExtentSlot slot : callee.slots)
    given.push_back(extents.of(call, slot));
  auto inCaller = [&](AffineExpr expr) {
    for (auto [number, value] : llvm::enumerate(given))
      if (!value && expr.isFunctionOfSymbol(number))
        return AffineExpr();
    SmallVector<AffineExpr> values = given;
    for (AffineExpr &value : values)
      if (!value)
        value = getAffineConstantExpr(0, expr.getContext());
    return expr.replaceSymbols(values);
  };
  for (const ExtentRelation &relation : callee.relations) {
    AffineExpr left = inCaller(relation.left), right = inCaller(relation.right);
    if (left && right)
      relations.push_back({left, right, relation.atLeast});
  }
}

void ExtentRelations::addSlice(Operation *op, Value large, Value small) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  if (op->getNumResults() == 0 || !isRanked(large))
    return;
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    AffineExpr first = extents.of(offset), count = extents.of(size),
               step = extents.of(stride);
    if (!first || !count || !step || !isa<AffineConstantExpr>(step))
      continue;
    atLeast(first, getAffineConstantExpr(0, op->getContext()));
    atLeast(extents.of(large, dim), first + (count - 1) * step + 1);
  }
  if (small && cast<ShapedType>(small.getType()).getRank() ==
                   cast<ShapedType>(large.getType()).getRank())
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      equal(extents.of(small, dim), extents.of(size));
}

void ExtentRelations::addConcat(Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  Value first = concat.getInputs().front();
  for (Value input : concat.getInputs().drop_front())
    for (int64_t dim = 0; dim < concat.getRank(); ++dim)
      if (dim != static_cast<int64_t>(concat.getDim()))
        equal(extents.of(input, dim), extents.of(first, dim));
}

void ExtentRelations::addExpansion(Operation *op) {
  auto expand = cast<tensor::ExpandShapeOp>(op);
  SmallVector<OpFoldResult> shape = expand.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices())) {
    AffineExpr product = getAffineConstantExpr(1, op->getContext());
    for (int64_t part : group) {
      AffineExpr extent = extents.of(shape[part]);
      bool isLinear = extent && (isa<AffineConstantExpr>(product) ||
                                 isa<AffineConstantExpr>(extent));
      product = isLinear ? product * extent : AffineExpr();
      if (!product)
        break;
    }
    equal(extents.of(expand.getSrc(), dim), product);
  }
}

void ExtentRelations::add(Operation *op) {
  if (isa<linalg::LinalgOp>(op))
    addLinalg(op);
  else if (auto call = dyn_cast<func::CallOp>(op))
    addCall(call);
  else if (isa<tensor::CastOp, memref::CastOp>(op))
    equalExtents(op->getOperand(0), op->getResult(0));
  else if (auto copy = dyn_cast<memref::CopyOp>(op))
    equalExtents(copy.getSource(), copy.getTarget());
  else if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
    equalExtents(write.getSource(), write.getDest());
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    addSlice(op, slice.getSource(), Value());
  else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    addSlice(op, insert.getDest(), insert.getSource());
  else if (isa<tensor::ConcatOp>(op))
    addConcat(op);
  else if (isa<tensor::ExpandShapeOp>(op))
    addExpansion(op);
}

SmallVector<ExtentRelation> ExtentRelations::collect(func::FuncOp function) {
  for (Operation &op : function.front())
    add(&op);
  return std::move(relations);
}
