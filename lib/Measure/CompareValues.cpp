// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompareValues.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace diffuse;

void Differences::note(uint64_t index, double value, double expected,
                       double error, bool passes) {
  largestError = std::max(largestError, error);
  if (passes)
    return;
  if (count++ == 0) {
    firstIndex = index;
    firstValue = value;
    firstExpected = expected;
  }
}

namespace {
/// Reads a value as a number: at full speed where the compiler knows the type.
template <typename T> struct NativeLoader {
  const char *bytes;
  double operator()(uint64_t index) const {
    T value;
    std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  }
};

struct AnyLoader {
  const char *bytes;
  ElementType type;
  double operator()(uint64_t index) const {
    return loadPart(type, bytes + index * type.partBytes());
  }
};
} // namespace

template <typename Loader>
static double largestFinite(const Loader &load, uint64_t count) {
  double largest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    double magnitude = std::fabs(load(i));
    if (std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  }
  return largest;
}

/// Distance of two values; an infinity or NaN is at distance 0 from its like
/// and at an infinite one from all else.
static double distance(double value, double expected) {
  if (std::isfinite(value) && std::isfinite(expected))
    return std::fabs(value - expected);
  bool isSame = std::isnan(expected) ? std::isnan(value) : value == expected;
  return isSame ? 0 : HUGE_VAL;
}

template <typename Loader>
static Differences compareFloats(const Loader &values, const Loader &expected,
                                 uint64_t count, const Tolerance &tolerance) {
  Differences differences;
  differences.largestExpected = largestFinite(expected, count);
  differences.allowed =
      tolerance.absolute + tolerance.relative * differences.largestExpected;
  for (uint64_t i = 0; i < count; ++i) {
    double error = distance(values(i), expected(i));
    differences.note(i, values(i), expected(i), error,
                     error <= differences.allowed);
  }
  return differences;
}

/// Integers are compared by bytes, so that a byte of an i1 that is neither 0
/// nor 1 is seen.
static Differences compareIntegers(const AnyLoader &values,
                                   const AnyLoader &expected, uint64_t count) {
  Differences differences;
  differences.largestExpected = largestFinite(expected, count);
  unsigned bytes = values.type.bytes;
  for (uint64_t i = 0; i < count; ++i) {
    if (std::memcmp(values.bytes + i * bytes, expected.bytes + i * bytes,
                    bytes) == 0)
      continue;
    double error = std::fabs(values(i) - expected(i));
    differences.note(i, values(i), expected(i), error, false);
  }
  return differences;
}

Differences diffuse::compareValues(const ValuePair &pair,
                                   const Tolerance &tolerance) {
  uint64_t count = pair.count();
  AnyLoader values{pair.values, pair.type}, expected{pair.expected, pair.type};
  if (pair.type.isInteger())
    return compareIntegers(values, expected, count);
  if (pair.type.partBytes() == 4)
    return compareFloats(NativeLoader<float>{pair.values},
                         NativeLoader<float>{pair.expected}, count, tolerance);
  if (pair.type.partBytes() == 8)
    return compareFloats(NativeLoader<double>{pair.values},
                         NativeLoader<double>{pair.expected}, count, tolerance);
  return compareFloats(values, expected, count, tolerance);
}
