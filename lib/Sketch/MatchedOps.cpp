// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule of a user does not say what it is for, but it says what it looks
// for. What it matches before it changes anything must be in the subgraph; what
// it matches later may be of its own making. Without this rule a schedule would
// run on any subgraph, find nothing there, and be measured as plain loops.

#include "SketchTemplate.h"

#include "mlir/Dialect/Linalg/TransformOps/LinalgMatchOps.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace diffuse;
using namespace mlir;

static SoughtOp describeMatch(transform::MatchOp match) {
  SoughtOp sought;
  if (ArrayAttr names = match.getOpsAttr())
    for (auto name : names.getAsRange<StringAttr>())
      sought.names.push_back(name.getValue().str());
  if (DictionaryAttr attributes = match.getOpAttrsAttr())
    for (NamedAttribute attribute : attributes)
      sought.attributes.push_back(attribute.getName().str());
  return sought;
}

static bool changesPayload(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [](const MemoryEffects::EffectInstance &e) {
    return isa<MemoryEffects::Write>(e.getEffect()) &&
           isa<transform::PayloadIRResource>(e.getResource());
  });
}

/// Op names of the matchers of a sketch.
static std::vector<std::string> namesByMatchers(const SketchTemplate &sketch) {
  std::vector<std::string> names;
  for (transform::NamedSequenceOp sequence : reachableSequences(sketch.tensor))
    sequence.walk([&](transform::MatchOperationNameOp match) {
      for (auto name : match.getOpNames().getAsRange<StringAttr>())
        names.push_back(name.getValue().str());
    });
  return names;
}

void diffuse::readMatchedNames(SketchTemplate &sketch) {
  for (transform::NamedSequenceOp sequence : reachableSequences(sketch.tensor))
    sequence.walk([&](transform::MatchOp match) {
      llvm::append_range(sketch.matchedNames, describeMatch(match).names);
    });
  llvm::append_range(sketch.matchedNames, namesByMatchers(sketch));
}

void diffuse::readMatches(SketchTemplate &sketch) {
  readMatchedNames(sketch);
  for (Operation &op : sketch.tensor.getBody().front()) {
    if (auto match = dyn_cast<transform::MatchOp>(op))
      sketch.sought.push_back(describeMatch(match));
    else if (changesPayload(&op))
      break;
  }
  SoughtOp byMatchers;
  byMatchers.isByMatcher = true;
  byMatchers.names = namesByMatchers(sketch);
  if (sketch.sought.empty() && !byMatchers.names.empty())
    sketch.sought.push_back(std::move(byMatchers));
}

std::string diffuse::whyNotFound(const SketchTemplate &sketch,
                                 const SubgraphDescriptor &descriptor) {
  for (const SoughtOp &sought : sketch.sought) {
    auto isThere = [&](const std::string &name) {
      bool isFound = descriptor.isSpecializable || !sought.isByMatcher;
      return (isFound && name == descriptor.namedAnchor) ||
             llvm::is_contained(descriptor.opNames, name);
    };
    if (!sought.names.empty() && llvm::none_of(sought.names, isThere))
      return "it matches " + llvm::join(sought.names, " or ") +
             ", which is not there";
    for (const std::string &attribute : sought.attributes)
      if (!llvm::is_contained(descriptor.attributeNames, attribute))
        return "it matches the attribute " + attribute + ", which is not there";
  }
  return "";
}
