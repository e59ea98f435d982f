// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a knob's `options` to the values it may take for a subgraph and target:
//
//   [4, 8, 16]                                   as they stand
//   {lb = 1, step = 2, ub = 9}                   a range, ub included
//   {start = 1, step = 2, stop = 9}              the same
//   {values = [4, 8], of = "rows"}               those up to the extent, or the
//                                                extent where all are larger
//   {lanes_times = [1, 2, 4], of = "cols"}       multiples of the vector width
//   {divisors_of = "rows", multiple_of = 2}      divisors of the extent
//
// The named forms are sizes, so their values are at least 1. They also take
// `whole` (the extent itself, too), `min`, `max` and `max_lanes` (as many
// vectors); `multiple_of` also takes "lanes". All values keep to these, those
// that the extent stands in for as well.

#include "SketchTemplate.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace diffuse;
using namespace mlir;

static int64_t getInteger(DictionaryAttr dict, StringRef name,
                          int64_t otherwise) {
  auto attr = dict.getAs<IntegerAttr>(name);
  return attr ? attr.getValue().trySExtValue().value_or(otherwise) : otherwise;
}

/// Truth values are words, not numbers.
static std::optional<int64_t> toInteger(Attribute attr) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  if (!integer || integer.getType().isInteger(1))
    return std::nullopt;
  return integer.getValue().trySExtValue();
}

static SmallVector<int64_t> getIntegers(Attribute attr) {
  SmallVector<int64_t> values;
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr))
    for (Attribute element : array)
      if (std::optional<int64_t> integer = toInteger(element))
        values.push_back(*integer);
  return values;
}

bool diffuse::areNumbered(Attribute options) {
  auto array = dyn_cast_or_null<ArrayAttr>(options);
  return array && !llvm::all_of(array, [](Attribute element) {
           return toInteger(element).has_value();
         });
}

Attribute diffuse::optionOf(Attribute options, int64_t value, Type type) {
  auto array = dyn_cast<ArrayAttr>(options);
  if (array && areNumbered(options))
    return array[size_t(value)];
  if (array)
    for (Attribute element : array)
      if (toInteger(element) == value)
        return element;
  return IntegerAttr::get(type, value);
}

/// The bounds of a range under either pair of names.
static int64_t getLow(DictionaryAttr dict) {
  return getInteger(dict, "lb", getInteger(dict, "start", 0));
}

static int64_t getHigh(DictionaryAttr dict) {
  return getInteger(dict, "ub", getInteger(dict, "stop", 0));
}

/// Number of values of a range; one less where that is 2^64. Bounds may be any.
static uint64_t countRange(DictionaryAttr dict) {
  int64_t step = std::max<int64_t>(getInteger(dict, "step", 1), 1);
  int64_t low = getLow(dict), high = getHigh(dict);
  if (low > high)
    return 0;
  uint64_t steps = (uint64_t(high) - uint64_t(low)) / uint64_t(step);
  return std::max(steps, steps + 1);
}

bool diffuse::hasTooManyValues(Attribute options) {
  auto dict = dyn_cast_or_null<DictionaryAttr>(options);
  return dict && !isNamedDomain(options) && countRange(dict) > kMaxRangeValues;
}

static SmallVector<int64_t> getRange(DictionaryAttr dict) {
  SmallVector<int64_t> values;
  int64_t step = std::max<int64_t>(getInteger(dict, "step", 1), 1);
  int64_t low = getLow(dict);
  uint64_t count = countRange(dict);
  for (uint64_t i = 0; i < std::min(count, kMaxRangeValues); ++i)
    values.push_back(int64_t(uint64_t(low) + i * uint64_t(step)));
  return values;
}

static SmallVector<int64_t> getDivisors(int64_t extent) {
  SmallVector<int64_t> values;
  for (int64_t v = 1; v <= extent / v; ++v)
    if (extent % v == 0) {
      values.push_back(v);
      values.push_back(extent / v);
    }
  return values;
}

/// Values before the extent, `min` and `max` have their say.
static SmallVector<int64_t> getProposals(DictionaryAttr dict, int64_t extent,
                                         unsigned lanes) {
  if (auto times = dict.get("lanes_times")) {
    SmallVector<int64_t> values = getIntegers(times);
    SmallVector<int64_t> products;
    for (int64_t value : values)
      if (int64_t product; !llvm::MulOverflow<int64_t>(value, lanes, product))
        products.push_back(product);
    return products;
  }
  if (dict.get("divisors_of"))
    return getDivisors(extent);
  return getIntegers(dict.get("values"));
}

static int64_t getMultiple(DictionaryAttr dict, unsigned lanes) {
  if (auto name = dict.getAs<StringAttr>("multiple_of"))
    return name.getValue() == "lanes" ? lanes : 1;
  return std::max<int64_t>(getInteger(dict, "multiple_of", 1), 1);
}

static void sortUnique(SmallVector<int64_t> &values) {
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
}

static SmallVector<int64_t> evaluateNamed(DictionaryAttr dict,
                                          const DimensionTable &dimensions,
                                          unsigned lanes) {
  bool areDivisors = dict.get("divisors_of") != nullptr;
  auto of = dict.getAs<StringAttr>("of");
  if (!of)
    of = dict.getAs<StringAttr>("divisors_of");
  int64_t extent = of ? dimensions.extent(of.getValue()) : INT64_MAX;
  int64_t multiple = getMultiple(dict, lanes);
  int64_t low = std::max<int64_t>(getInteger(dict, "min", 1), 1);
  int64_t high = getInteger(dict, "max", INT64_MAX);
  if (int64_t vectors = getInteger(dict, "max_lanes", 0))
    high = std::min(high, vectors * int64_t(lanes));
  SmallVector<int64_t> values;
  auto propose = [&](int64_t value) {
    if (value <= extent && value % multiple == 0 && value >= low &&
        value <= high)
      values.push_back(value);
  };
  for (int64_t value : getProposals(dict, extent, lanes))
    propose(value);
  if (of && getInteger(dict, "whole", 0) != 0)
    propose(extent);
  if (of && !areDivisors && values.empty())
    propose(std::min(extent, high) / multiple * multiple);
  return values;
}

bool diffuse::isNamedDomain(Attribute options) {
  auto dict = dyn_cast_or_null<DictionaryAttr>(options);
  return dict && !dict.get("ub") && !dict.get("stop");
}

StringRef diffuse::dimensionOf(Attribute options) {
  auto dict = dyn_cast_or_null<DictionaryAttr>(options);
  for (StringRef key : {"of", "divisors_of"})
    if (auto name = dict ? dict.getAs<StringAttr>(key) : StringAttr())
      return name.getValue();
  return "";
}

SmallVector<int64_t> diffuse::evaluateDomain(Attribute options,
                                             const DimensionTable &dimensions,
                                             unsigned lanes) {
  SmallVector<int64_t> values;
  if (isNamedDomain(options))
    values = evaluateNamed(cast<DictionaryAttr>(options), dimensions, lanes);
  else if (auto dict = dyn_cast_or_null<DictionaryAttr>(options))
    values = getRange(dict);
  else if (areNumbered(options))
    values =
        llvm::to_vector(llvm::seq<int64_t>(0, cast<ArrayAttr>(options).size()));
  else
    values = getIntegers(options);
  sortUnique(values);
  return values;
}
