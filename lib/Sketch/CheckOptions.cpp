// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A misspelt word in a knob's options would leave a space that nobody meant, so
// every word is known or refused.

#include "SketchTemplate.h"

#include "llvm/ADT/StringExtras.h"

using namespace diffuse;
using namespace mlir;

static constexpr StringRef kRangeWords[] = {"lb", "start", "step", "ub",
                                            "stop"};
static constexpr StringRef kSources[] = {"values", "lanes_times",
                                         "divisors_of"};
static constexpr StringRef kNamedWords[] = {
    "values", "lanes_times", "divisors_of", "of",       "multiple_of",
    "whole",  "min",         "max",         "max_lanes"};

bool diffuse::isDimensionName(StringRef name) {
  static constexpr StringRef names[] = {
      "batch",   "rows",  "cols",  "k",     "m",      "n",        "filter",
      "channel", "group", "outer", "inner", "source", "reduction"};
  unsigned number = 0;
  if (name.consume_front("image") || name.consume_front("window"))
    return !name.getAsInteger(10, number);
  return llvm::is_contained(names, name);
}

static bool isInteger(Attribute attribute) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
  return integer && integer.getValue().getSignificantBits() <= 64;
}

static LogicalResult checkWords(Operation *knob, DictionaryAttr dict,
                                ArrayRef<StringRef> words) {
  for (NamedAttribute entry : dict)
    if (!llvm::is_contained(words, entry.getName().getValue()))
      return knob->emitError()
             << "unknown word '" << entry.getName().getValue()
             << "' in the options of a knob; beside it these are known: "
             << llvm::join(words, ", ");
  return success();
}

static LogicalResult checkIntegers(Operation *knob, DictionaryAttr dict,
                                   ArrayRef<StringRef> words) {
  for (StringRef word : words)
    if (Attribute value = dict.get(word); value && !isInteger(value))
      return knob->emitError() << "expected '" << word
                               << "' of a knob's options to be an integer, "
                               << "but it is " << value;
  return success();
}

static LogicalResult checkRange(Operation *knob, DictionaryAttr dict) {
  if (failed(checkWords(knob, dict, kRangeWords)) ||
      failed(checkIntegers(knob, dict, kRangeWords)))
    return failure();
  auto step = dict.getAs<IntegerAttr>("step");
  if (step && step.getValue().slt(1))
    return knob->emitError() << "expected the 'step' of a range to be at least "
                                "1, but it is "
                             << step.getValue().getSExtValue();
  if (hasTooManyValues(dict))
    return success();
  if (evaluateDomain(dict, DimensionTable(), 1).empty())
    return knob->emitError()
           << "the range " << Attribute(dict)
           << " is empty; both of its ends belong to it, so the first must not "
              "be larger than the last";
  return success();
}

static LogicalResult checkDimension(Operation *knob, DictionaryAttr dict,
                                    StringRef word) {
  Attribute value = dict.get(word);
  auto name = dyn_cast_or_null<StringAttr>(value);
  if (!value || (name && isDimensionName(name.getValue())))
    return success();
  return knob->emitError()
         << "'" << word << "' names no dimension: " << value
         << "; known are batch, rows (m), cols (n), k, filter, channel, group, "
            "image0, window0, outer, inner, source, reduction";
}

static LogicalResult checkNamed(Operation *knob, DictionaryAttr dict) {
  if (failed(checkWords(knob, dict, kNamedWords)) ||
      failed(checkIntegers(knob, dict, {"whole", "min", "max", "max_lanes"})) ||
      failed(checkDimension(knob, dict, "of")) ||
      failed(checkDimension(knob, dict, "divisors_of")))
    return failure();
  if (llvm::none_of(kSources, [&](StringRef word) { return dict.get(word); }))
    return knob->emitError()
           << "expected a knob's options to be a list, a range {lb, step, ub} "
              "or a dictionary with one of "
           << llvm::join(ArrayRef<StringRef>(kSources), ", ");
  Attribute multiple = dict.get("multiple_of");
  auto word = dyn_cast_or_null<StringAttr>(multiple);
  if (multiple && !isInteger(multiple) && !(word && word == "lanes"))
    return knob->emitError()
           << "expected 'multiple_of' to be an integer or \"lanes\", but it is "
           << multiple;
  return success();
}

LogicalResult diffuse::checkOptions(Operation *knob, Attribute options) {
  if (auto dict = dyn_cast<DictionaryAttr>(options))
    return isNamedDomain(dict) ? checkNamed(knob, dict)
                               : checkRange(knob, dict);
  auto list = dyn_cast<ArrayAttr>(options);
  if (!list)
    return knob->emitError() << "expected a knob's options to be a list or a "
                                "dictionary, but they are "
                             << options;
  if (list.empty())
    return knob->emitError() << "a knob with an empty list of options has no "
                                "value; list some, or leave the knob out";
  return success();
}
