// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiation works on a copy of the sketch, in this order: helper sequences
// are inlined, alternatives are replaced by the chosen region, tilings by
// dimension names become positional, attributes are bound, knobs become
// constants, and every attribute of the project is dropped. What is left needs
// nothing but upstream's transform dialect. A user's text that speaks of no
// dimensions by name stays as it is, with the choices filled in.

#include "Diffuse/Sketch/Instantiate.h"

#include "Diffuse/Sketch/Legality.h"
#include "StagedSketch.h"
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

/// Helpers may include helpers, so this repeats until none is left. They stand
/// beside the sequence as it was `written`, perhaps in a nested module.
static LogicalResult inlineIncludes(Operation *sequence, Operation *written) {
  for (SmallVector<transform::IncludeOp> includes;
       !(includes = collect<transform::IncludeOp>(sequence)).empty();) {
    for (transform::IncludeOp include : includes) {
      auto callee = dyn_cast_or_null<transform::NamedSequenceOp>(
          SymbolTable::lookupNearestSymbolFrom(written,
                                               include.getTargetAttr()));
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

static SmallVector<transform::tune::AlternativesOp>
collectOutermost(Operation *sequence) {
  SmallVector<transform::tune::AlternativesOp> ops;
  sequence->walk<WalkOrder::PreOrder>([&](transform::tune::AlternativesOp op) {
    ops.push_back(op);
    return WalkResult::skip();
  });
  return ops;
}

/// The region that is taken, -1 where nothing says which.
static int64_t regionOf(transform::tune::AlternativesOp op,
                        const Choices &choices) {
  Value param = op.getSelectedRegionParam();
  auto knob = param ? param.getDefiningOp<transform::tune::KnobOp>()
                    : transform::tune::KnobOp();
  Attribute given =
      knob ? knob.getSelectedAttr() : Attribute(op.getSelectedRegionAttrAttr());
  if (auto region = dyn_cast_or_null<IntegerAttr>(given))
    return region.getInt();
  auto it = choices.find((knob ? knob.getName() : op.getName()).str());
  return it == choices.end() ? -1 : it->second;
}

static LogicalResult selectAlternatives(Operation *sequence,
                                        const Choices &choices) {
  // Those inside a region that is not taken go with it.
  for (SmallVector<transform::tune::AlternativesOp> open;
       !(open = collectOutermost(sequence)).empty();) {
    transform::tune::AlternativesOp op = open.front();
    int64_t selected = regionOf(op, choices);
    if (selected < 0 || selected >= int64_t(op.getAlternatives().size()))
      return op.emitError()
             << "'" << op.getName() << "' has no alternative " << selected;
    op->replaceAllUsesWith(cloneBlockBefore(
        op, op.getAlternatives()[selected].front(), ValueRange()));
    op->erase();
  }
  return success();
}

/// A loop order is bound where the tiling is expanded.
static void bindAllAttributes(Operation *sequence, const Choices &choices) {
  sequence->walk([&](Operation *op) {
    if (!op->hasAttr(sketch_attr::kWalk))
      bindAttributes(op, choices);
  });
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
      Attribute value = knob.getSelectedAttr();
      if (auto choice = choices.find(knob.getName().str());
          !value && choice != choices.end())
        value =
            optionOf(knob.getOptions(), choice->second, builder.getI64Type());
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
  if (failed(inlineIncludes(sequence, bound.sketch->tensor)) ||
      failed(selectAlternatives(sequence, choices)) ||
      failed(expandTilings(sequence, bound, choices)))
    return failure();
  bindAllAttributes(sequence, choices);
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

/// A sequence of the sketch, of a composed one that of some stage.
static transform::NamedSequenceOp sequenceOf(const BoundSketch &sketch) {
  if (const auto &staged = sketch.get().staged)
    for (const std::optional<BoundSketch> &part : staged->whole().sketches)
      if (part)
        return sequenceOf(*part);
  return sketch.get().sketch->tensor;
}

/// The sequences of a sketch of the library, closed.
static FailureOr<OwningOpRef<ModuleOp>>
closeSequences(const BoundSketch::Storage &bound, const Choices &choices,
               StringRef name) {
  transform::NamedSequenceOp tensor = bound.sketch->tensor,
                             vector = bound.sketch->vector;
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(tensor->getContext()));
  module.get()->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                        UnitAttr::get(tensor->getContext()));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto add = [&](transform::NamedSequenceOp sequence, StringRef suffix) {
    auto copy = cast<transform::NamedSequenceOp>(builder.clone(*sequence));
    copy.setSymName((name + suffix).str());
    return close(copy, bound, choices);
  };
  if (failed(add(tensor, kTensorSuffix)) ||
      (vector && failed(add(vector, kVectorSuffix))))
    return failure();
  return module;
}

static FailureOr<OwningOpRef<ModuleOp>> writeSchedule(const BoundSketch &sketch,
                                                      const Choices &choices,
                                                      StringRef name,
                                                      MLIRContext *context) {
  if (sketch.get().staged)
    return instantiateStages(sketch, choices, name, context);
  if (sketch.get().sketch->keepsText)
    return fillSchedule(sketch.get(), choices, name);
  return closeSequences(sketch.get(), choices, name);
}

FailureOr<OwningOpRef<ModuleOp>> diffuse::instantiate(const BoundSketch &sketch,
                                                      const Choices &choices,
                                                      StringRef name) {
  transform::NamedSequenceOp sequence = sequenceOf(sketch);
  if (std::optional<std::string> reason = checkChoices(sketch, choices))
    return emitError(sequence.getLoc()) << *reason;
  MLIRContext *context = sequence->getContext();
  auto schedule = writeSchedule(sketch, choices, name, context);
  // What a user's text warns of was said when it was read.
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  if (failed(schedule) || failed(verify(**schedule)))
    return failure();
  (*schedule)->getBody()->front().setAttr(
      kSelectedAttr, selectedAttribute(context, sketch.name(), choices));
  return schedule;
}
