// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work is counted over the loops of each op, not over its operands: what an op
// does is its body, once an iteration.

#include "Diffuse/Analysis/Work.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace diffuse;
using namespace mlir;

/// Arithmetic on elements: no constant, no cast, nothing on indices.
static bool isArithmetic(Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                       complex::ComplexDialect>(op->getDialect()))
    return false;
  if (isa<arith::ConstantOp, CastOpInterface>(op) || op->getNumResults() != 1)
    return false;
  return !op->getResult(0).getType().isIndex();
}

static double countElements(ArrayRef<int64_t> shape) {
  double elements = 1;
  for (int64_t extent : shape)
    elements *= ShapedType::isDynamic(extent) ? 1.0 : double(extent);
  return elements;
}

double diffuse::countFlops(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return 0;
  double perIteration = 0;
  linalgOp.getBlock()->walk(
      [&](Operation *inner) { perIteration += isArithmetic(inner); });
  if (perIteration == 0)
    return 0;
  return perIteration * countElements(linalgOp.getStaticLoopRanges());
}

double diffuse::countFlops(func::FuncOp function) {
  double flops = 0;
  function.walk([&](linalg::LinalgOp op) { flops += countFlops(op); });
  return flops;
}

static double getElementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complex.getElementType());
  if (type.isIndex())
    return 8;
  // Elements below eight bits take a byte in a buffer.
  return type.isIntOrFloat() ? (type.getIntOrFloatBitWidth() + 7) / 8 : 0;
}

double diffuse::countBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank()
             ? countElements(shaped.getShape()) *
                   getElementBytes(shaped.getElementType())
             : 0;
}

/// What is read or written of `argument`: all of it, or the one slice that the
/// body takes of a padded tensor.
static Value getTouched(Value argument) {
  if (!argument.hasOneUse())
    return argument;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(*argument.user_begin());
  return slice ? slice.getResult() : argument;
}

double diffuse::countBytes(func::FuncOp function) {
  double bytes = 0;
  for (Value argument : function.getArguments())
    bytes += countBytes(getTouched(argument).getType());
  return bytes;
}
