// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table says where an attribute may stand and what it must be: a misspelt
// or misplaced one would otherwise be ignored in silence by every pass.

#include "VerifyAttributes.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/Support/FailureKind.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace diffuse;
using namespace mlir;

namespace {
enum class Place { Function, Argument, Inside, Module };

/// One attribute: where it may stand, what it is in words, and the check.
struct Rule {
  StringRef name;
  Place place;
  StringRef type;
  bool (*accepts)(Attribute);
};
} // namespace

static bool isUnit(Attribute attribute) { return isa<UnitAttr>(attribute); }

static bool isUnitOrString(Attribute attribute) {
  return isa<UnitAttr, StringAttr>(attribute);
}

static bool isCount(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isInteger(64) && integer.getInt() >= 0;
}

static bool isHash(Attribute attribute) {
  auto text = dyn_cast<StringAttr>(attribute);
  return text && text.size() == 32 &&
         llvm::all_of(text.getValue(), [](char digit) {
           return llvm::isDigit(digit) || (digit >= 'a' && digit <= 'f');
         });
}

static bool isReference(Attribute attribute) {
  return isa<SymbolRefAttr>(attribute);
}

/// What happened to a schedule that was measured and failed.
static bool isFailure(Attribute attribute) {
  auto word = dyn_cast<StringAttr>(attribute);
  llvm::Expected<FailureKind> kind =
      parseFailureKind(word ? word.getValue() : "");
  if (kind)
    return *kind != FailureKind::None && *kind != FailureKind::Unmeasurable;
  llvm::consumeError(kind.takeError());
  return false;
}

static bool isDictionary(Attribute attribute) {
  return isa<DictionaryAttr>(attribute);
}

static ArrayRef<Rule> getRules() {
  static constexpr Rule rules[] = {
      {kSubgraphAttr, Place::Function, "a unit", isUnit},
      {kCallsAttr, Place::Function, "an i64 of at least 0", isCount},
      {kExactHashAttr, Place::Function, "32 hexadecimal digits", isHash},
      {kStructureHashAttr, Place::Function, "32 hexadecimal digits", isHash},
      {kFamilyHashAttr, Place::Function, "32 hexadecimal digits", isHash},
      {kClusterAttr, Place::Function, "an i64 of at least 0", isCount},
      {kRepresentativeAttr, Place::Function, "a unit", isUnit},
      {kScheduleAttr, Place::Function, "a symbol reference", isReference},
      {kAppliedAttr, Place::Function, "a unit", isUnit},
      {kDefaultFailedAttr, Place::Function, "the kind of a failure", isFailure},
      {kParameterAttr, Place::Argument, "a unit or a string", isUnitOrString},
      {kDestinationAttr, Place::Argument, "a unit", isUnit},
      {kAnchorAttr, Place::Inside, "a unit", isUnit},
      {kRootAttr, Place::Inside, "a unit", isUnit},
      {kEpilogueAttr, Place::Inside, "a unit", isUnit},
      {kPrologueAttr, Place::Inside, "a unit", isUnit},
      {kStageAttr, Place::Inside, "an i64 of at least 0", isCount},
      {kThreadsXAttr, Place::Inside, "an i64 of at least 0", isCount},
      {kThreadsYAttr, Place::Inside, "an i64 of at least 0", isCount},
      {kThreadsZAttr, Place::Inside, "an i64 of at least 0", isCount},
      {kProvenanceAttr, Place::Module, "a dictionary", isDictionary},
  };
  return rules;
}

static StringRef describePlace(Place place) {
  switch (place) {
  case Place::Function:
    return "a function";
  case Place::Argument:
    return "an argument";
  case Place::Inside:
    return "an op inside a subgraph";
  case Place::Module:
    return "a module";
  }
  llvm_unreachable("all places are named above");
}

/// Sketches have attributes of their own: on their ops what a knob binds and
/// means, on the ops of a subgraph that they schedule whatever they find them
/// by.
static bool isOfSketches(Operation *op) {
  Dialect *dialect = op->getDialect();
  return dialect && dialect->getNamespace() == "transform";
}

static bool isScheduled(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && function->hasAttr(kScheduleAttr);
}

static LogicalResult verifyAttribute(Operation *op, NamedAttribute attribute,
                                     Place place) {
  const Rule *rule = llvm::find_if(
      getRules(), [&](const Rule &r) { return r.name == attribute.getName(); });
  if (rule == getRules().end() && isScheduled(op))
    return success();
  if (rule == getRules().end())
    return op->emitError() << "unknown attribute '"
                           << attribute.getName().getValue() << "'";
  if (rule->place != place)
    return op->emitError() << "'" << rule->name << "' belongs on "
                           << describePlace(rule->place) << ", not on "
                           << describePlace(place);
  if (!rule->accepts(attribute.getValue()))
    return op->emitError() << "expected '" << rule->name << "' to be "
                           << rule->type << ", but it is "
                           << attribute.getValue();
  return success();
}

static LogicalResult verifyAll(Operation *op, DictionaryAttr attributes,
                               Place place) {
  bool failed = false;
  for (NamedAttribute attribute : attributes)
    if (attribute.getName().getValue().starts_with(kAttributePrefix))
      failed |= mlir::failed(verifyAttribute(op, attribute, place));
  return failure(failed);
}

static Place getPlace(Operation *op) {
  if (isa<func::FuncOp>(op))
    return Place::Function;
  return isa<ModuleOp>(op) ? Place::Module : Place::Inside;
}

LogicalResult diffuse::verifyAttributes(ModuleOp module) {
  bool failed = false;
  module->walk([&](Operation *op) {
    if (isOfSketches(op))
      return;
    failed |= mlir::failed(
        verifyAll(op, op->getDiscardableAttrDictionary(), getPlace(op)));
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (DictionaryAttr attributes = function.getArgAttrDict(i))
        failed |= mlir::failed(verifyAll(op, attributes, Place::Argument));
  });
  return failure(failed);
}
