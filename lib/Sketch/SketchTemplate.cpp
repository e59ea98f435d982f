// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads sketches out of transform IR. A named sequence `@NAME__tensor` with
// `diffuse.sketch` is a sketch; sequences without it are helpers that sketches
// include.

#include "SketchTemplate.h"

#include "Diffuse/IR/Names.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"

#include "llvm/ADT/StringSet.h"
#include <numeric>

using namespace diffuse;
using namespace mlir;

int64_t SizeTerm::evaluate(const Choices &choices, unsigned lanes) const {
  if (kind == Kind::Lanes)
    return lanes;
  if (kind == Kind::Constant)
    return constant;
  auto it = choices.find(knob);
  return it == choices.end() ? 0 : it->second;
}

int64_t TileEntry::evaluate(const Choices &choices, unsigned lanes,
                            int64_t extent) const {
  int64_t value = size.evaluate(choices, lanes);
  if (multiples && value > 0)
    return std::max(extent / value, int64_t(1)) * value;
  return value * scale.evaluate(choices, lanes);
}

ArrayRef<std::string> TileStep::order(const Choices &choices) const {
  if (orders.empty())
    return {};
  auto it = choices.find(orderKnob);
  size_t index = it == choices.end() ? 0 : size_t(it->second);
  return orders[std::min(index, orders.size() - 1)];
}

/// Sizes as the tiling ops hold them: constants, or a marker for the next
/// operand.
static SmallVector<OpFoldResult> getSizes(Operation *op) {
  if (auto fuse = dyn_cast<transform::FuseOp>(op))
    return fuse.getMixedTileSizes();
  if (auto tile = dyn_cast<transform::TileUsingForOp>(op))
    return tile.getMixedSizes();
  if (auto tile = dyn_cast<transform::TileReductionUsingForOp>(op))
    return SmallVector<OpFoldResult>(tile.getTileSizes().begin(),
                                     tile.getTileSizes().end());
  return {};
}

static FailureOr<SizeTerm> readSize(Operation *op, OpFoldResult size) {
  SizeTerm term;
  if (auto attr = dyn_cast<Attribute>(size)) {
    term.constant = cast<IntegerAttr>(attr).getInt();
    return term;
  }
  auto knob = cast<Value>(size).getDefiningOp<transform::tune::KnobOp>();
  if (!knob)
    return op->emitError() << "expected tile sizes to be constants or knobs";
  term.kind = SizeTerm::Kind::Knob;
  term.knob = knob.getName().str();
  return term;
}

/// An integer, "lanes", "multiples", or the name of a knob.
static LogicalResult readScale(Operation *op, Attribute attr,
                               TileEntry &entry) {
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    entry.scale.constant = integer.getInt();
    return success();
  }
  auto name = dyn_cast<StringAttr>(attr);
  if (!name)
    return op->emitError() << "expected '" << sketch_attr::kScale
                           << "' to hold integers and names";
  if (name.getValue() == "multiples") {
    entry.multiples = true;
  } else if (name.getValue() == "lanes") {
    entry.scale.kind = SizeTerm::Kind::Lanes;
  } else {
    entry.scale.kind = SizeTerm::Kind::Knob;
    entry.scale.knob = name.getValue().str();
  }
  return success();
}

static LogicalResult readOrders(Operation *op, TileStep &step) {
  auto orders = op->getAttrOfType<ArrayAttr>(sketch_attr::kOrders);
  if (!orders)
    return success();
  for (Attribute order : orders) {
    auto names = dyn_cast<ArrayAttr>(order);
    if (!names)
      return op->emitError() << "expected '" << sketch_attr::kOrders
                             << "' to be a list of lists of dimensions";
    auto &list = step.orders.emplace_back();
    for (auto name : names.getAsRange<StringAttr>())
      list.push_back(name.getValue().str());
  }
  if (auto bind = op->getAttrOfType<DictionaryAttr>(sketch_attr::kBind))
    if (auto knob = bind.getAs<StringAttr>("interchange"))
      step.orderKnob = knob.getValue().str();
  return success();
}

FailureOr<TileStep> diffuse::readTileStep(Operation *op) {
  auto walk = op->getAttrOfType<ArrayAttr>(sketch_attr::kWalk);
  SmallVector<OpFoldResult> sizes = getSizes(op);
  auto scales = op->getAttrOfType<ArrayAttr>(sketch_attr::kScale);
  if (!walk || walk.size() != sizes.size())
    return op->emitError() << "expected '" << sketch_attr::kWalk << "' to name "
                           << sizes.size() << " dimensions";
  if (scales && scales.size() != sizes.size())
    return op->emitError() << "expected '" << sketch_attr::kScale
                           << "' to hold " << sizes.size() << " entries";
  TileStep step;
  step.partial = isa<transform::TileReductionUsingForOp>(op);
  if (auto of = op->getAttrOfType<StringAttr>(sketch_attr::kOf))
    step.of = of.getValue().str();
  for (auto [index, name] : llvm::enumerate(walk.getAsRange<StringAttr>())) {
    TileEntry &entry = step.entries.emplace_back();
    entry.dimension = name.getValue().str();
    FailureOr<SizeTerm> size = readSize(op, sizes[index]);
    if (failed(size) || (scales && failed(readScale(op, scales[index], entry))))
      return failure();
    entry.size = *size;
  }
  if (failed(readOrders(op, step)))
    return failure();
  return step;
}

static KnobSpec readKnob(transform::tune::KnobOp knob) {
  KnobSpec spec;
  spec.name = knob.getName().str();
  spec.options = knob.getOptions();
  auto text = [&](StringRef name) {
    auto attr = knob->getAttrOfType<StringAttr>(name);
    return attr ? attr.getValue().str() : std::string();
  };
  spec.role = text(sketch_attr::kRole);
  spec.dim = text(sketch_attr::kDim);
  if (auto level = knob->getAttrOfType<IntegerAttr>(sketch_attr::kLevel))
    spec.level = level.getInt();
  return spec;
}

static KnobSpec readAlternatives(transform::tune::AlternativesOp choice) {
  Builder builder(choice.getContext());
  SmallVector<int64_t> regions(choice.getAlternatives().size());
  std::iota(regions.begin(), regions.end(), 0);
  KnobSpec spec;
  spec.name = choice.getName().str();
  spec.options = builder.getI64ArrayAttr(regions);
  spec.role = "form";
  return spec;
}

/// Knobs, and the tilings that make the loops of the anchor; tilings of side
/// work carry `diffuse.side`.
static LogicalResult readBody(SketchTemplate &sketch) {
  WalkResult result = sketch.tensor.walk([&](Operation *op) {
    if (auto knob = dyn_cast<transform::tune::KnobOp>(op)) {
      sketch.knobs.push_back(readKnob(knob));
      return WalkResult::advance();
    }
    if (auto choice = dyn_cast<transform::tune::AlternativesOp>(op)) {
      sketch.knobs.push_back(readAlternatives(choice));
      return WalkResult::advance();
    }
    if (!op->hasAttr(sketch_attr::kWalk))
      return WalkResult::advance();
    FailureOr<TileStep> step = readTileStep(op);
    if (failed(step))
      return WalkResult::interrupt();
    if (!op->hasAttr(sketch_attr::kSide))
      sketch.steps.push_back(*step);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The knobs whose values are extents of tiles, by which the model divides.
static llvm::StringSet<> namesOfSizes(const SketchTemplate &sketch) {
  llvm::StringSet<> sizes;
  for (const TileStep &step : sketch.steps)
    for (const TileEntry &entry : step.entries)
      for (const SizeTerm &term : {entry.size, entry.scale})
        if (term.kind == SizeTerm::Kind::Knob)
          sizes.insert(term.knob);
  if (auto name = sketch.applies.getAs<StringAttr>("whole_rows"))
    sizes.insert(name.getValue());
  for (const KnobSpec &knob : sketch.knobs)
    if (!knob.dim.empty())
      sizes.insert(knob.name);
  return sizes;
}

static LogicalResult checkRanges(const SketchTemplate &sketch) {
  for (const KnobSpec &knob : sketch.knobs)
    if (hasTooManyValues(knob.options))
      return sketch.tensor->emitError()
             << "knob '" << knob.name << "' has more than " << kMaxRangeValues
             << " options, so its 'step' must be larger or 'ub' smaller";
  return success();
}

/// Listed sizes are at least 1; named domains see to it themselves.
static LogicalResult checkSizes(const SketchTemplate &sketch) {
  llvm::StringSet<> sizes = namesOfSizes(sketch);
  for (const KnobSpec &knob : sketch.knobs) {
    if (!sizes.contains(knob.name) || isNamedDomain(knob.options))
      continue;
    for (int64_t value : evaluateDomain(knob.options, DimensionTable(), 1))
      if (value < 1)
        return sketch.tensor->emitError()
               << "knob '" << knob.name << "' is the size of a tile, so its "
               << "options must be at least 1, but " << value << " is one";
  }
  return success();
}

static FailureOr<std::shared_ptr<const SketchTemplate>>
readSketch(transform::NamedSequenceOp sequence,
           std::shared_ptr<OwningOpRef<ModuleOp>> module) {
  auto sketch = std::make_shared<SketchTemplate>();
  StringRef name = sequence.getSymName();
  if (!name.consume_back(kTensorSuffix))
    return sequence.emitError() << "expected the name of a sketch to end in '"
                                << kTensorSuffix << "'";
  sketch->applies =
      sequence->getAttrOfType<DictionaryAttr>(sketch_attr::kSketch);
  if (!sketch->applies)
    return sequence.emitError()
           << "expected '" << sketch_attr::kSketch << "' to be a dictionary";
  sketch->name = name.str();
  sketch->module = module;
  sketch->tensor = sequence;
  sketch->vector = dyn_cast_or_null<transform::NamedSequenceOp>(
      SymbolTable::lookupSymbolIn(module->get(), (name + kVectorSuffix).str()));
  if (auto rank = sketch->applies.getAs<IntegerAttr>("rank"))
    sketch->rank = rank.getInt();
  if (failed(readBody(*sketch)) || failed(checkRanges(*sketch)) ||
      failed(checkSizes(*sketch)))
    return failure();
  return std::shared_ptr<const SketchTemplate>(sketch);
}

FailureOr<SmallVector<std::shared_ptr<const SketchTemplate>>>
diffuse::readSketches(OwningOpRef<ModuleOp> parsed) {
  auto module = std::make_shared<OwningOpRef<ModuleOp>>(std::move(parsed));
  SmallVector<std::shared_ptr<const SketchTemplate>> sketches;
  for (auto sequence : module->get().getOps<transform::NamedSequenceOp>()) {
    if (!sequence->hasAttr(sketch_attr::kSketch))
      continue;
    auto sketch = readSketch(sequence, module);
    if (failed(sketch))
      return failure();
    sketches.push_back(*sketch);
  }
  return sketches;
}
