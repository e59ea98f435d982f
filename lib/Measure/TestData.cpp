// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each value is a hash of its place, so there is no order of drawing to keep to
// and a tile of a tensor can be made without the rest.

#include "Diffuse/Measure/TestData.h"

#include "Diffuse/Support/ElementType.h"
#include "Diffuse/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace diffuse;
using Kind = BoundaryArgument::Kind;

/// The finalizer of SplitMix64: neighbouring numbers give unrelated ones.
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

namespace {
/// Numbers for the elements of one argument.
struct Sequence {
  uint64_t start;
  Sequence(uint64_t seed, unsigned position)
      : start(mix(mix(seed) ^ (uint64_t(position) << 48))) {}

  uint64_t bits(uint64_t index) const { return mix(start + index); }
  /// In [0, 1), with 24 bits, so that f32 holds it exactly.
  double unit(uint64_t index) const {
    return std::ldexp(static_cast<double>(bits(index) >> 40), -24);
  }
};

/// Uniform numbers between two.
struct Interval {
  double low;
  double high;
  double at(double unit) const { return low + (high - low) * unit; }
};

/// Integers from least to greatest, both included.
struct IntegerRange {
  int64_t least;
  int64_t greatest;
  int64_t at(uint64_t bits) const {
    uint64_t count = uint64_t(greatest) - uint64_t(least) + 1;
    return least + static_cast<int64_t>(count ? bits % count : bits);
  }
};
} // namespace

/// Inputs summed into one output, guessed from extents: filters come first or
/// last and are many; of a matrix either side may be summed over.
static double fanInOf(const BoundaryArgument &argument) {
  if (argument.fanIn > 0)
    return static_cast<double>(argument.fanIn);
  const std::vector<int64_t> &extents = argument.extents;
  double count = 1;
  for (int64_t extent : extents)
    count *= static_cast<double>(extent);
  auto outer = static_cast<double>(std::max(extents.front(), extents.back()));
  return std::max(1.0, extents.size() == 2 ? outer : count / outer);
}

static Interval intervalOf(const BoundaryArgument &argument) {
  if (argument.kind == Kind::Input)
    return {-1, 1};
  if (argument.kind == Kind::Scalar || argument.extents.size() < 2)
    return {0.5, 1.5};
  // Uniform in [-a, a] has variance a^2 / 3.
  double bound = std::sqrt(3 / fanInOf(argument));
  return {-bound, bound};
}

static IntegerRange rangeOf(const BoundaryArgument &argument,
                            const ElementType &type) {
  if (type.kind == ElementClass::Bool)
    return {0, 1};
  if (argument.least || argument.greatest)
    return {argument.least, std::max(argument.least, argument.greatest)};
  if (type.kind == ElementClass::Unsigned)
    return {0, type.narrowBits == 2 ? 3 : 4};
  if (type.narrowBits == 2 || type.narrowBits == 3)
    return {-2, 1};
  if (type.bytes == 8)
    return {0, 1};
  return {-4, 4};
}

template <typename T>
static void fillFloats(void *bytes, uint64_t count, const Sequence &sequence,
                       Interval interval) {
  T *values = static_cast<T *>(bytes);
  for (uint64_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(interval.at(sequence.unit(i)));
}

static void fillParts(const ElementType &type, void *bytes, uint64_t count,
                      const Sequence &sequence, Interval interval) {
  if (type.partBytes() == 4)
    return fillFloats<float>(bytes, count, sequence, interval);
  if (type.partBytes() == 8)
    return fillFloats<double>(bytes, count, sequence, interval);
  char *place = static_cast<char *>(bytes);
  for (uint64_t i = 0; i < count; ++i, place += type.partBytes())
    storePart(type, place, interval.at(sequence.unit(i)));
}

static void fillIntegers(const ElementType &type, void *bytes, uint64_t count,
                         const Sequence &sequence, IntegerRange range) {
  char *place = static_cast<char *>(bytes);
  for (uint64_t i = 0; i < count; ++i, place += type.bytes)
    storeInteger(type, place, range.at(sequence.bits(i)));
}

llvm::Error diffuse::fillArgument(const BoundaryArgument &argument,
                                  uint64_t seed, unsigned position,
                                  void *bytes) {
  llvm::Expected<ElementType> type = parseElementType(argument.elementType);
  if (!type)
    return type.takeError();
  llvm::Expected<uint64_t> size = countBytes(argument);
  if (!size)
    return size.takeError();
  Sequence sequence(seed, position);
  if (type->isInteger())
    fillIntegers(*type, bytes, *size / type->bytes, sequence,
                 rangeOf(argument, *type));
  else
    fillParts(*type, bytes, *size / type->partBytes(), sequence,
              intervalOf(argument));
  return llvm::Error::success();
}

llvm::Expected<int64_t> diffuse::scalarSlot(const BoundaryArgument &argument,
                                            uint64_t seed, unsigned position) {
  llvm::Expected<ElementType> type = parseElementType(argument.elementType);
  if (!type)
    return type.takeError();
  if (type->kind == ElementClass::Complex)
    return makeError("scalar argument '" + argument.name + "' of type " +
                     argument.elementType + " does not fit a slot");
  int64_t slot = 0;
  if (llvm::Error error = fillArgument(argument, seed, position, &slot))
    return error;
  return slot;
}
