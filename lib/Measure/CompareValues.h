// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of one type side by side. Errors are compared with the largest value,
// not with each value: where terms cancel, a small value carries the error of
// the large terms.

#ifndef DIFFUSE_LIB_MEASURE_COMPAREVALUES_H
#define DIFFUSE_LIB_MEASURE_COMPAREVALUES_H

#include "Diffuse/Measure/Measurer.h"
#include "Diffuse/Support/ElementType.h"

namespace diffuse {

/// What is, and what should be: `bytes` of each.
struct ValuePair {
  ElementType type;
  const char *values;
  const char *expected;
  uint64_t bytes;

  /// Parts of a complex number count one by one.
  uint64_t count() const { return bytes / type.partBytes(); }
};

struct Differences {
  uint64_t count = 0;
  uint64_t firstIndex = 0;
  double firstValue = 0;
  double firstExpected = 0;
  /// Of all values, those that pass included.
  double largestError = 0;
  /// Of the finite values that are expected.
  double largestExpected = 0;
  /// Error up to which a value passes.
  double allowed = 0;

  void note(uint64_t index, double value, double expected, double error,
            bool passes);
};

/// Integers must be equal, whatever the tolerance.
Differences compareValues(const ValuePair &pair, const Tolerance &tolerance);

} // namespace diffuse

#endif // DIFFUSE_LIB_MEASURE_COMPAREVALUES_H
