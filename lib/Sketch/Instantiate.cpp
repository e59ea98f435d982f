// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiation works on a copy of the sketch, in this order: helper sequences
// are inlined, alternatives are replaced by the chosen region, tilings by
// dimension names become positional, attributes are bound, knobs become
// constants, and every attribute of the project is dropped. What is left needs
// nothing but upstream's transform dialect.

#include "Diffuse/Sketch/Instantiate.h"

#include "Diffuse/Sketch/Legality.h"
#include "SketchTemplate.h"
#include "TileExpansion.h"

#include "Diffuse/IR/Names.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace diffuse;
using namespace mlir;

/// Moves a copy of `block` without its terminator before `op` and returns what
/// the terminator yields.
static SmallVector<Value> cloneBlockBefore(Operation *op, Block &block,
                                           ValueRange arguments) {
  OpBuilder builder(op);
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &inner : block.without_terminator())
    builder.clone(inner, mapping);
  SmallVector<Value> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return yielded;
}

template <typename OpTy> static SmallVector<OpTy> collect(Operation *root) {
  SmallVector<OpTy> ops;
  root->walk([&](OpTy op) { ops.push_back(op); });
  return ops;
}

/// Helpers may include helpers, so this repeats until none is left.
static LogicalResult inlineIncludes(Operation *sequence, ModuleOp library) {
  for (SmallVector<transform::IncludeOp> includes;
       !(includes = collect<transform::IncludeOp>(sequence)).empty();) {
    for (transform::IncludeOp include : includes) {
      auto callee = dyn_cast_or_null<transform::NamedSequenceOp>(
          SymbolTable::lookupSymbolIn(library, include.getTarget()));
      if (!callee || callee.isExternal())
        return include.emitError()
               << "includes " << include.getTarget() << ", which is not there";
      include->replaceAllUsesWith(cloneBlockBefore(
          include, callee.getBody().front(), include.getOperands()));
      include->erase();
    }
  }
  return success();
}

static LogicalResult selectAlternatives(Operation *sequence,
                                        const Choices &choices) {
  for (auto op : collect<transform::tune::AlternativesOp>(sequence)) {
    auto it = choices.find(op.getName().str());
    int64_t selected = it == choices.end() ? -1 : it->second;
    if (selected < 0 || selected >= int64_t(op.getAlternatives().size()))
      return op.emitError()
             << "'" << op.getName() << "' has no alternative " << selected;
    op->replaceAllUsesWith(cloneBlockBefore(
        op, op.getAlternatives()[selected].front(), ValueRange()));
    op->erase();
  }
  return success();
}

/// `diffuse.bind = {factor = "unroll"}` sets an integer attribute to the value
/// of a knob; a loop order is bound where the tiling is expanded.
static LogicalResult bindAttributes(Operation *sequence,
                                    const Choices &choices) {
  WalkResult result = sequence->walk([&](Operation *op) {
    auto bind = op->getAttrOfType<DictionaryAttr>(sketch_attr::kBind);
    for (NamedAttribute entry :
         bind ? bind.getValue() : ArrayRef<NamedAttribute>()) {
      auto knob = dyn_cast<StringAttr>(entry.getValue());
      auto it = knob ? choices.find(knob.getValue().str()) : choices.end();
      auto old = op->getAttrOfType<IntegerAttr>(entry.getName());
      if (it == choices.end() || !old) {
        op->emitError() << "cannot bind '" << entry.getName().getValue()
                        << "' to " << entry.getValue();
        return WalkResult::interrupt();
      }
      op->setAttr(entry.getName(), IntegerAttr::get(old.getType(), it->second));
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult expandTilings(Operation *sequence,
                                   const BoundSketch::Storage &bound,
                                   const Choices &choices) {
  SmallVector<Operation *> ops;
  sequence->walk([&](Operation *op) {
    if (op->hasAttr(sketch_attr::kWalk))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(expandTileOp(op, bound, choices)))
      return failure();
  return success();
}

static void closeKnobs(Operation *sequence, const Choices &choices) {
  for (auto knob : collect<transform::tune::KnobOp>(sequence)) {
    OpBuilder builder(knob);
    if (!knob->use_empty()) {
      auto value = builder.getI64IntegerAttr(choices.at(knob.getName().str()));
      auto constant = transform::ParamConstantOp::create(
          builder, knob.getLoc(), knob->getResult(0).getType(), value);
      knob->replaceAllUsesWith(constant);
    }
    knob->erase();
  }
}

/// Discardable attributes only: a match on `diffuse.root` keeps its operand.
static void dropOwnAttributes(Operation *sequence) {
  sequence->walk([](Operation *op) {
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
      if (attr.getName().getValue().starts_with(kAttributePrefix))
        op->removeDiscardableAttr(attr.getName());
  });
}

static LogicalResult close(Operation *sequence,
                           const BoundSketch::Storage &bound,
                           const Choices &choices) {
  ModuleOp library = bound.sketch->module->get();
  if (failed(inlineIncludes(sequence, library)) ||
      failed(selectAlternatives(sequence, choices)) ||
      failed(expandTilings(sequence, bound, choices)) ||
      failed(bindAttributes(sequence, choices)))
    return failure();
  closeKnobs(sequence, choices);
  dropOwnAttributes(sequence);
  return success();
}

/// {sketch = "NAME", KNOB = 8 : i64, ...}
static DictionaryAttr selectedAttribute(MLIRContext *context, StringRef sketch,
                                        const Choices &choices) {
  Builder builder(context);
  NamedAttrList selected;
  selected.set("sketch", builder.getStringAttr(sketch));
  for (const auto &[knob, value] : choices)
    selected.set(knob, builder.getI64IntegerAttr(value));
  return selected.getDictionary(context);
}

FailureOr<OwningOpRef<ModuleOp>> diffuse::instantiate(const BoundSketch &sketch,
                                                      const Choices &choices,
                                                      StringRef name) {
  const BoundSketch::Storage &bound = sketch.get();
  transform::NamedSequenceOp tensor = bound.sketch->tensor;
  if (std::optional<std::string> reason = checkChoices(sketch, choices))
    return emitError(tensor.getLoc()) << *reason;
  MLIRContext *context = tensor->getContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  module.get()->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                        UnitAttr::get(context));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto add = [&](transform::NamedSequenceOp sequence, StringRef suffix) {
    auto copy = cast<transform::NamedSequenceOp>(builder.clone(*sequence));
    copy.setSymName((name + suffix).str());
    return close(copy, bound, choices);
  };
  if (failed(add(tensor, kTensorSuffix)))
    return failure();
  module->getBody()->front().setAttr(
      kSelectedAttr, selectedAttribute(context, sketch.name(), choices));
  if (bound.sketch->vector && failed(add(bound.sketch->vector, kVectorSuffix)))
    return failure();
  if (failed(verify(*module)))
    return failure();
  return module;
}
