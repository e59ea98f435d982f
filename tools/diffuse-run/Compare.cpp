// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare.h"

#include "Diffuse/Support/ElementType.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace diffuse;

/// Whole networks add errors of many layers up: a thousand units in the last
/// place of f32, fewer of the short types.
static double defaultTolerance(const ElementType &type) {
  if (type.isInteger())
    return 0;
  double epsilon = type.epsilon();
  return epsilon < 1e-4 ? 1024 * epsilon : 32 * epsilon;
}

namespace {
/// The parts (halves of complex numbers count singly) of two tensors.
class Parts {
public:
  Parts(const ElementType &type, const char *bytes, uint64_t size)
      : type(type), bytes(bytes), number(size / type.partBytes()) {}
  uint64_t count() const { return number; }
  double at(uint64_t index) const {
    return loadPart(type, bytes + index * type.partBytes());
  }
  double largest() const {
    double largest = 0;
    for (uint64_t i = 0; i < number; ++i)
      if (double value = std::fabs(at(i)); std::isfinite(value))
        largest = std::max(largest, value);
    return largest;
  }

private:
  ElementType type;
  const char *bytes;
  uint64_t number;
};
} // namespace

/// 0 where equal, infinite where one of them is no finite number.
static double differenceOf(double found, double expected) {
  if (found == expected || (std::isnan(found) && std::isnan(expected)))
    return 0;
  double difference = std::fabs(found - expected);
  return std::isnan(difference) ? INFINITY : difference;
}

Comparison diffuse::compareTensors(const Tensor &found, const char *expected,
                                   const CompareOptions &options) {
  Comparison result;
  llvm::Expected<ElementType> type = parseElementType(found.type().elementType);
  if (!type) {
    result.ok = false;
    result.message = llvm::toString(type.takeError());
    return result;
  }
  Parts is(*type, found.data(), found.size());
  Parts shouldBe(*type, expected, found.size());
  double largest = shouldBe.largest();
  double relative = options.relative.value_or(defaultTolerance(*type));
  double allowed = options.absolute + relative * largest;
  for (uint64_t i = 0; i < is.count(); ++i) {
    double difference = differenceOf(is.at(i), shouldBe.at(i));
    double error = difference == 0 ? 0 : difference / largest;
    if (std::isnan(error))
      error = INFINITY;
    result.maxRelativeError = std::max(result.maxRelativeError, error);
    if (difference <= allowed || !result.ok)
      continue;
    result.ok = false;
    result.message = llvm::formatv(
        "'{0}' differs at element {1}: {2}, expected {3} (tolerance {4})",
        found.type().name, i, is.at(i), shouldBe.at(i), allowed);
  }
  return result;
}
