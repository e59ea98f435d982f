// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's value bounds do the work inside a function; a call of a subgraph has
// the extents of the destinations it is given.

#include "SymbolicExtents.h"

#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace diffuse;

SymbolicExtents::SymbolicExtents(func::FuncOp function, bool skipDestinations)
    : function(function), symbols(function->getParentOfType<ModuleOp>()) {
  auto add = [&](unsigned argument, int64_t dim) {
    numbers[{argument, dim}] = allSlots.size();
    allSlots.push_back({argument, dim});
  };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (skipDestinations && isDestination(function, index))
      continue;
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped)
      add(index, -1);
    else if (shaped.hasRank())
      for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
        if (shaped.isDynamicDim(dim))
          add(index, dim);
  }
}

func::FuncOp SymbolicExtents::calleeOf(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  return callee && isSubgraph(callee) ? callee : func::FuncOp();
}

bool SymbolicExtents::isStart(Value value) const {
  return isa<BlockArgument>(value) || value.getDefiningOp<func::CallOp>();
}

AffineExpr SymbolicExtents::ofStart(Value value, std::optional<int64_t> dim) {
  if (auto call = value.getDefiningOp<func::CallOp>()) {
    func::FuncOp callee = calleeOf(call);
    unsigned result = cast<OpResult>(value).getResultNumber();
    return callee && dim
               ? of(call.getOperand(countInputs(callee) + result), *dim)
               : AffineExpr();
  }
  auto argument = cast<BlockArgument>(value);
  if (argument.getOwner() != &function.front())
    return AffineExpr();
  auto found = numbers.find({argument.getArgNumber(), dim.value_or(-1)});
  return found == numbers.end()
             ? AffineExpr()
             : getAffineSymbolExpr(found->second, function.getContext());
}

AffineExpr SymbolicExtents::solve(const Variable &variable) {
  AffineMap map;
  ValueDimList operands;
  auto stop = [&](Value value, std::optional<int64_t>,
                  ValueBoundsConstraintSet &) { return isStart(value); };
  if (failed(ValueBoundsConstraintSet::computeBound(
          map, operands, presburger::BoundType::EQ, variable, stop)))
    return AffineExpr();
  SmallVector<AffineExpr> values;
  for (auto [value, dim] : operands) {
    values.push_back(dim ? of(value, *dim) : of(value));
    if (!values.back())
      return AffineExpr();
  }
  ArrayRef<AffineExpr> all = values;
  AffineExpr expr = map.getResult(0).replaceDimsAndSymbols(
      all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  return simplifyAffineExpr(expr, 0, allSlots.size());
}

AffineExpr SymbolicExtents::of(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.hasRank())
    return AffineExpr();
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), function.getContext());
  if (isStart(shaped))
    return ofStart(shaped, dim);
  auto found = known.find({shaped, dim});
  if (found != known.end())
    return found->second;
  AffineExpr expr = solve(Variable(shaped, dim));
  known[{shaped, dim}] = expr;
  return expr;
}

AffineExpr SymbolicExtents::of(OpFoldResult index) {
  if (auto constant = getConstantIntValue(index))
    return getAffineConstantExpr(*constant, function.getContext());
  auto value = dyn_cast<Value>(index);
  if (!value || !value.getType().isIndex())
    return AffineExpr();
  return isStart(value) ? ofStart(value, std::nullopt) : solve(Variable(value));
}

AffineExpr SymbolicExtents::of(func::CallOp call, ExtentSlot slot) {
  Value operand = call.getOperand(slot.argument);
  return slot.dim < 0 ? of(operand) : of(operand, slot.dim);
}
