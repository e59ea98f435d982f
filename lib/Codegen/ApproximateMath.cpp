// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApproximateMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace {
/// Writes arithmetic on vectors of one shape.
class VectorArithmetic {
public:
  VectorArithmetic(Operation *op, bool hasFma)
      : builder(op->getLoc(), op),
        floats(cast<VectorType>(op->getResult(0).getType())),
        integers(floats.clone(builder.getI32Type())), hasFma(hasFma) {}

  Value constant(float value) {
    return arith::ConstantOp::create(builder,
                                     DenseElementsAttr::get(floats, value));
  }
  Value constant(int32_t value) {
    return arith::ConstantOp::create(builder,
                                     DenseElementsAttr::get(integers, value));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, a, b); }
  /// a * b + c
  Value mulAdd(Value a, Value b, Value c) {
    return hasFma ? Value(math::FmaOp::create(builder, a, b, c))
                  : add(mul(a, b), c);
  }
  /// Horner's scheme; the first coefficient is that of the highest power.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value sum = constant(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      sum = mulAdd(sum, x, constant(coefficient));
    return sum;
  }
  Value magnitude(Value x) { return math::AbsFOp::create(builder, x); }
  Value withSignOf(Value x, Value sign) {
    return math::CopySignOp::create(builder, x, sign);
  }
  /// Both keep NaN.
  Value least(Value a, Value b) {
    return arith::MinimumFOp::create(builder, a, b);
  }
  Value greatest(Value a, Value b) {
    return arith::MaximumFOp::create(builder, a, b);
  }
  Value selectBelow(Value x, float limit, Value below, Value otherwise) {
    Value isBelow = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, x,
                                          constant(limit));
    return arith::SelectOp::create(builder, isBelow, below, otherwise);
  }
  Value bits(Value x) { return arith::BitcastOp::create(builder, integers, x); }
  Value addBits(Value a, Value b) {
    return arith::AddIOp::create(builder, a, b);
  }
  Value subBits(Value a, Value b) {
    return arith::SubIOp::create(builder, a, b);
  }
  Value halve(Value a) {
    return arith::ShRSIOp::create(builder, a, constant(1));
  }
  /// 2^n for an integer n within the exponents of normal numbers.
  Value powerOfTwo(Value n) {
    Value exponent = addBits(n, constant(127));
    Value shifted = arith::ShLIOp::create(builder, exponent, constant(23));
    return arith::BitcastOp::create(builder, floats, shifted);
  }

  Value exp(Value x);
  Value tanh(Value x);
  Value erf(Value x);

private:
  ImplicitLocOpBuilder builder;
  VectorType floats;
  VectorType integers;
  bool hasFma;
};
} // namespace

/// exp(x) = 2^n exp(r) with n the integer nearest to x / ln 2. Adding 1.5 *
/// 2^23 rounds to an integer that stands in the low bits of the sum: unlike a
/// conversion it is defined for NaN. The scaling is done in two steps, so that
/// denormal results are rounded once.
Value VectorArithmetic::exp(Value x) {
  Value bounded = greatest(least(x, constant(89.0f)), constant(-104.0f));
  Value magic = constant(12582912.0f);
  Value sum = add(mul(bounded, constant(1.44269504f)), magic);
  Value n = sub(sum, magic);
  Value r = mulAdd(n, constant(-0.693359375f), bounded);
  r = mulAdd(n, constant(2.12194440e-4f), r);
  Value p =
      polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                     4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  p = add(mulAdd(p, mul(r, r), r), constant(1.0f));
  Value exponent = subBits(bits(sum), bits(magic));
  Value half = halve(exponent);
  Value rest = subBits(exponent, half);
  return mul(mul(p, powerOfTwo(half)), powerOfTwo(rest));
}

/// An odd polynomial near zero, 1 - 2 / (exp(2 |x|) + 1) elsewhere.
Value VectorArithmetic::tanh(Value x) {
  Value square = mul(x, x);
  Value p = polynomial(square, {-5.70498872745e-3f, 2.06390887954e-2f,
                                -5.37397155531e-2f, 1.33314422036e-1f,
                                -3.33332819422e-1f});
  Value small = mulAdd(mul(p, square), x, x);
  Value size = magnitude(x);
  Value power = exp(add(size, size));
  Value large =
      sub(constant(1.0f), div(constant(2.0f), add(power, constant(1.0f))));
  // The small branch alone would lose the sign of zero.
  return withSignOf(selectBelow(size, 0.625f, small, large), x);
}

/// An odd polynomial near zero, 1 - exp(q(|x|)) elsewhere.
Value VectorArithmetic::erf(Value x) {
  Value square = mul(x, x);
  Value p =
      polynomial(square, {-5.96761703e-4f, 4.99119423e-3f, -2.67681349e-2f,
                          1.12819925e-1f, -3.76125336e-1f, 1.28379166e-1f});
  Value small = mulAdd(p, x, x);
  Value size = magnitude(x);
  Value q = polynomial(size, {-1.72853470e-5f, 3.83197126e-4f, -3.88396438e-3f,
                              2.42546219e-2f, -1.06777877e-1f, -6.34846687e-1f,
                              -1.28717512e-1f});
  q = sub(mul(q, size), size);
  Value large = sub(constant(1.0f), exp(q));
  return selectBelow(size, 0.921875f, small, withSignOf(large, x));
}

static Value approximate(Operation *op, bool hasFma) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!type || !type.getElementType().isF32())
    return {};
  VectorArithmetic arithmetic(op, hasFma);
  Value x = op->getOperand(0);
  if (isa<math::ExpOp>(op))
    return arithmetic.exp(x);
  if (isa<math::TanhOp>(op))
    return arithmetic.tanh(x);
  return arithmetic.erf(x);
}

void diffuse::approximateVectorMath(ModuleOp module, bool hasFma) {
  module.walk([&](Operation *op) {
    if (!isa<math::ExpOp, math::TanhOp, math::ErfOp>(op))
      return;
    if (Value value = approximate(op, hasFma)) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  });
}
