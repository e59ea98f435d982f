// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types by their MLIR spelling, as bytes in memory. What runs code or
// reads arrays needs no more of a type, and no MLIR.

#ifndef DIFFUSE_SUPPORT_ELEMENTTYPE_H
#define DIFFUSE_SUPPORT_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace diffuse {

enum class ElementClass { Bool, Integer, Unsigned, Float, BFloat, Complex };

/// One element as it lies in a buffer. `i1` takes a byte; a complex number
/// is its two parts in order.
struct ElementType {
  ElementClass kind = ElementClass::Float;
  /// Of the whole element, in memory.
  unsigned bytes = 4;
  /// Of an integer of 2 to 7 bits, which takes the low bits of a byte whose
  /// other bits are zero; else 0.
  unsigned narrowBits = 0;

  bool isFloat() const {
    return kind == ElementClass::Float || kind == ElementClass::BFloat;
  }
  bool isInteger() const {
    return kind == ElementClass::Bool || kind == ElementClass::Integer ||
           kind == ElementClass::Unsigned;
  }
  /// Bytes of one part: half of a complex number, else the element.
  unsigned partBytes() const {
    return kind == ElementClass::Complex ? bytes / 2 : bytes;
  }
  /// Distance from 1 to the next number of the type; 0 for integers.
  double epsilon() const;
};

/// Reads `f16 bf16 f32 f64 i1 i8 i16 i32 i64 index`, `i2` to `i7`, the signed
/// and unsigned spellings `si32`, `ui8`, ... and `complex<f32>`,
/// `complex<f64>`. Fails on other types, naming them.
llvm::Expected<ElementType> parseElementType(llvm::StringRef spelling);

/// The number in one part of an element at `bytes`, and back, rounded to
/// nearest even. Integers beyond 2^53 lose digits.
double loadPart(const ElementType &type, const void *bytes);
void storePart(const ElementType &type, void *bytes, double value);

/// Puts `value`, or its low bits, where an integer of `type` lies.
void storeInteger(const ElementType &type, void *bytes, int64_t value);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_ELEMENTTYPE_H
