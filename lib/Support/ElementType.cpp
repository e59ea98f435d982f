// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits and bytes of element types. The 16-bit floats go through APFloat, as the
// compiler's own types for them differ between compilers.

#include "Diffuse/Support/ElementType.h"

#include "Diffuse/Support/Errors.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>
#include <optional>

using namespace diffuse;

double ElementType::epsilon() const {
  if (isInteger())
    return 0;
  if (kind == ElementClass::BFloat)
    return std::ldexp(1.0, -7);
  switch (partBytes()) {
  case 2:
    return std::ldexp(1.0, -10);
  case 4:
    return std::ldexp(1.0, -23);
  default:
    return std::ldexp(1.0, -52);
  }
}

/// `i2` to `i7`, signed or unsigned.
static std::optional<ElementType> parseNarrow(llvm::StringRef spelling) {
  ElementType type{ElementClass::Integer, 1};
  if (spelling.consume_front("u"))
    type.kind = ElementClass::Unsigned;
  else
    spelling.consume_front("s");
  if (!spelling.consume_front("i") ||
      spelling.getAsInteger(10, type.narrowBits) || type.narrowBits < 2 ||
      type.narrowBits > 7)
    return std::nullopt;
  return type;
}

llvm::Expected<ElementType>
diffuse::parseElementType(llvm::StringRef spelling) {
  if (std::optional<ElementType> narrow = parseNarrow(spelling))
    return *narrow;
  ElementType unknown{ElementClass::Bool, 0};
  ElementType type =
      llvm::StringSwitch<ElementType>(spelling)
          .Case("i1", {ElementClass::Bool, 1})
          .Cases({"i8", "si8"}, {ElementClass::Integer, 1})
          .Cases({"i16", "si16"}, {ElementClass::Integer, 2})
          .Cases({"i32", "si32"}, {ElementClass::Integer, 4})
          .Cases({"i64", "si64", "index"}, {ElementClass::Integer, 8})
          .Case("ui8", {ElementClass::Unsigned, 1})
          .Case("ui16", {ElementClass::Unsigned, 2})
          .Case("ui32", {ElementClass::Unsigned, 4})
          .Case("ui64", {ElementClass::Unsigned, 8})
          .Case("bf16", {ElementClass::BFloat, 2})
          .Case("f16", {ElementClass::Float, 2})
          .Case("f32", {ElementClass::Float, 4})
          .Case("f64", {ElementClass::Float, 8})
          .Case("complex<f32>", {ElementClass::Complex, 8})
          .Case("complex<f64>", {ElementClass::Complex, 16})
          .Default(unknown);
  if (type.bytes == 0)
    return makeError(
        "element type '" + spelling +
        "' is not supported; known are f16, bf16, f32, f64, i1, "
        "i2 to i8, i16, i32, i64, ui8 to ui64, index, complex<f32> and "
        "complex<f64>");
  return type;
}

template <typename T> static double load(const void *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

template <typename T> static void store(void *bytes, double value) {
  T converted = static_cast<T>(value);
  std::memcpy(bytes, &converted, sizeof(T));
}

static const llvm::fltSemantics &halfSemantics(const ElementType &type) {
  return type.kind == ElementClass::BFloat ? llvm::APFloat::BFloat()
                                           : llvm::APFloat::IEEEhalf();
}

static double loadHalf(const ElementType &type, const void *bytes) {
  uint16_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return llvm::APFloat(halfSemantics(type), llvm::APInt(16, bits))
      .convertToDouble();
}

static void storeHalf(const ElementType &type, void *bytes, double value) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(halfSemantics(type), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  auto bits = static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
  std::memcpy(bytes, &bits, sizeof(bits));
}

static double loadNarrow(const ElementType &type, const void *bytes) {
  unsigned char byte;
  std::memcpy(&byte, bytes, 1);
  int count = 1 << type.narrowBits;
  int value = byte & (count - 1);
  bool isNegative = type.kind == ElementClass::Integer && value >= count / 2;
  return isNegative ? value - count : value;
}

static double loadInteger(const ElementType &type, const void *bytes) {
  if (type.narrowBits)
    return loadNarrow(type, bytes);
  bool isUnsigned = type.kind == ElementClass::Unsigned;
  switch (type.bytes) {
  case 1:
    return isUnsigned ? load<uint8_t>(bytes) : load<int8_t>(bytes);
  case 2:
    return isUnsigned ? load<uint16_t>(bytes) : load<int16_t>(bytes);
  case 4:
    return isUnsigned ? load<uint32_t>(bytes) : load<int32_t>(bytes);
  default:
    return isUnsigned ? load<uint64_t>(bytes) : load<int64_t>(bytes);
  }
}

double diffuse::loadPart(const ElementType &type, const void *bytes) {
  if (type.kind == ElementClass::Bool)
    return load<uint8_t>(bytes) != 0;
  if (type.isInteger())
    return loadInteger(type, bytes);
  if (type.partBytes() == 2)
    return loadHalf(type, bytes);
  return type.partBytes() == 4 ? load<float>(bytes) : load<double>(bytes);
}

void diffuse::storeInteger(const ElementType &type, void *bytes,
                           int64_t value) {
  if (type.narrowBits)
    value &= (1 << type.narrowBits) - 1;
  // Two's complement: the low bytes hold the value of either signedness.
  std::memcpy(bytes, &value, type.bytes);
}

void diffuse::storePart(const ElementType &type, void *bytes, double value) {
  if (type.isInteger())
    return storeInteger(type, bytes,
                        static_cast<int64_t>(std::nearbyint(value)));
  if (type.partBytes() == 2)
    return storeHalf(type, bytes, value);
  if (type.partBytes() == 4)
    return store<float>(bytes, value);
  store<double>(bytes, value);
}
