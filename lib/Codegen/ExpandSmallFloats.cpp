// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of it happens in f64, which holds every value of f32 and rounds nothing
// that an f8 could tell apart. With a bias b and m bits of mantissa, the bits
// of an f8 without its sign, taken as a number n, mean
//
//   n * 2^(1 - b - m)                      where its exponent is zero,
//   the f64 of bits (n << (52 - m)) + ((1023 - b) << 52)     elsewhere.
//
// Going back, an add of 2^52 * 2^(1 - b - m) leaves n in the low bits of an
// f64, rounded by the hardware, where the exponent is zero; elsewhere the low
// 52 - m bits of the f64 are rounded away by integer arithmetic.

#include "ExpandSmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace diffuse;
using llvm::APFloat;

namespace {
/// How the bits of a type are read. Codes leave out the sign where there is one
/// for each sign.
struct Format {
  unsigned mantissa;
  int bias;
  uint64_t largest;
  /// What a value that is too large becomes: infinity, or NaN without one.
  uint64_t overflow;
  uint64_t nan;
  bool hasInfinity;
  /// Zero and NaN have no sign; NaN stands where -0 would.
  bool isUnsignedZero;
};

/// Writes the arithmetic for one op.
class Expansion {
public:
  Expansion(Operation *op, Type shape)
      : builder(op), loc(op->getLoc()), shape(shape) {}

  Value extend(Value small, const Format &format);
  Value truncate(Value wide, const Format &format);
  Value convert(Value value, Type element);

private:
  Type like(Type element) {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type i64() { return like(builder.getI64Type()); }
  Type f64() { return like(builder.getF64Type()); }
  Value constant(Type type, TypedAttr element) {
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(
          builder, loc, DenseElementsAttr::get(vector, Attribute(element)));
    return arith::ConstantOp::create(builder, loc, element);
  }
  Value integer(uint64_t value) {
    return constant(i64(), builder.getI64IntegerAttr(value));
  }
  Value number(double value) {
    return constant(f64(), builder.getF64FloatAttr(value));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, uint64_t b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, integer(b));
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  template <typename Op> Value apply(Value a, uint64_t b) {
    return Op::create(builder, loc, a, integer(b));
  }
  Value toBits(Value value) {
    return arith::BitcastOp::create(builder, loc, i64(), value);
  }
  Value toNumber(Value bits) {
    return arith::BitcastOp::create(builder, loc, f64(), bits);
  }

  OpBuilder builder;
  Location loc;
  Type shape;
};
} // namespace

static std::optional<Format> formatOf(Type type) {
  auto small = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  std::string spelling;
  llvm::raw_string_ostream(spelling) << small;
  if (!small || !llvm::is_contained(kSmallFloats, spelling))
    return std::nullopt;
  const llvm::fltSemantics &semantics = small.getFloatSemantics();
  auto bitsOf = [](const APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  };
  Format format;
  format.mantissa = APFloat::semanticsPrecision(semantics) - 1;
  format.bias = 1 - APFloat::semanticsMinExponent(semantics);
  format.largest = bitsOf(APFloat::getLargest(semantics));
  format.nan = bitsOf(APFloat::getNaN(semantics));
  format.hasInfinity = APFloat::semanticsHasInf(semantics);
  format.overflow =
      format.hasInfinity ? bitsOf(APFloat::getInf(semantics)) : format.nan;
  format.isUnsignedZero = format.nan == 0x80;
  return format;
}

/// From an f8 to f64, exactly.
Value Expansion::extend(Value small, const Format &format) {
  Value bits =
      arith::BitcastOp::create(builder, loc, like(builder.getI8Type()), small);
  bits = arith::ExtUIOp::create(builder, loc, i64(), bits);
  Value code = apply<arith::AndIOp>(bits, 0x7f);
  Value count = arith::SIToFPOp::create(builder, loc, f64(), code);
  Value unit = number(
      std::ldexp(1.0, 1 - format.bias - static_cast<int>(format.mantissa)));
  Value low = toBits(arith::MulFOp::create(builder, loc, count, unit));
  Value high = apply<arith::ShLIOp>(code, 52 - format.mantissa);
  high = apply<arith::AddIOp>(high, uint64_t(1023 - format.bias) << 52);
  auto below = arith::CmpIPredicate::ult;
  auto above = arith::CmpIPredicate::ugt;
  Value result =
      select(compare(below, code, uint64_t(1) << format.mantissa), low, high);
  constexpr uint64_t kNaN = 0x7ff8000000000000, kInfinity = 0x7ff0000000000000;
  if (!format.isUnsignedZero)
    result =
        select(compare(above, code, format.largest), integer(kNaN), result);
  if (format.hasInfinity)
    result = select(compare(arith::CmpIPredicate::eq, code, format.overflow),
                    integer(kInfinity), result);
  Value sign = apply<arith::ShLIOp>(apply<arith::AndIOp>(bits, 0x80), 56);
  result = arith::OrIOp::create(builder, loc, result, sign);
  if (format.isUnsignedZero)
    result = select(compare(arith::CmpIPredicate::eq, bits, format.nan),
                    integer(kNaN), result);
  return toNumber(result);
}

/// From f64 to an f8, rounded once.
Value Expansion::truncate(Value wide, const Format &format) {
  Value bits = toBits(wide);
  Value magnitude = apply<arith::AndIOp>(bits, INT64_MAX);
  Value shifter = number(
      std::ldexp(1.0, 53 - format.bias - static_cast<int>(format.mantissa)));
  Value low =
      toBits(arith::AddFOp::create(builder, loc, toNumber(magnitude), shifter));
  low = arith::SubIOp::create(builder, loc, low, toBits(shifter));

  unsigned dropped = 52 - format.mantissa;
  Value high =
      apply<arith::SubIOp>(magnitude, uint64_t(1023 - format.bias) << 52);
  Value odd = apply<arith::AndIOp>(apply<arith::ShRUIOp>(high, dropped), 1);
  high = apply<arith::AddIOp>(high, (uint64_t(1) << (dropped - 1)) - 1);
  high = arith::AddIOp::create(builder, loc, high, odd);
  high = apply<arith::ShRUIOp>(high, dropped);

  auto above = arith::CmpIPredicate::ugt;
  Value isLow = compare(arith::CmpIPredicate::ult, magnitude,
                        uint64_t(1024 - format.bias) << 52);
  Value code = select(isLow, low, high);
  code = select(compare(above, code, format.largest), integer(format.overflow),
                code);
  Value sign = apply<arith::ShRUIOp>(bits, 56);
  sign = apply<arith::AndIOp>(sign, 0x80);
  if (format.isUnsignedZero)
    sign = select(compare(arith::CmpIPredicate::eq, code, 0), integer(0), sign);
  code = arith::OrIOp::create(builder, loc, code, sign);
  Value isNaN = compare(above, magnitude, 0x7ff0000000000000);
  Value nan = integer(format.nan);
  if (!format.isUnsignedZero)
    nan = arith::OrIOp::create(builder, loc, nan, sign);
  code = select(isNaN, nan, code);
  return arith::TruncIOp::create(builder, loc, like(builder.getI8Type()), code);
}

/// Between floats that LLVM has, by way of f32: between the others and f64 LLVM
/// calls functions that not every libgcc has.
Value Expansion::convert(Value value, Type element) {
  for (Type step : {Type(builder.getF32Type()), element}) {
    unsigned from = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
    unsigned to = step.getIntOrFloatBitWidth();
    if (from < to)
      value = arith::ExtFOp::create(builder, loc, like(step), value);
    else if (from > to)
      value = arith::TruncFOp::create(builder, loc, like(step), value);
  }
  return value;
}

static void expand(arith::ExtFOp op, const Format &format) {
  Expansion expansion(op, op.getType());
  Value wide = expansion.extend(op.getIn(), format);
  op.replaceAllUsesWith(
      expansion.convert(wide, getElementTypeOrSelf(op.getType())));
  op.erase();
}

static void expand(arith::TruncFOp op, const Format &format) {
  Expansion expansion(op, op.getType());
  OpBuilder builder(op);
  Value wide = expansion.convert(op.getIn(), builder.getF64Type());
  Value bits = expansion.truncate(wide, format);
  op.replaceAllUsesWith(Value(
      arith::BitcastOp::create(builder, op.getLoc(), op.getType(), bits)));
  op.erase();
}

void diffuse::expandSmallFloats(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto extend = dyn_cast<arith::ExtFOp>(op)) {
      if (auto format = formatOf(extend.getIn().getType()))
        expand(extend, *format);
    } else if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
      if (auto format = formatOf(truncate.getType()))
        expand(truncate, *format);
    }
  });
}
