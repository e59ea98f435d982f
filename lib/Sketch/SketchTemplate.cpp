// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads knobs and tilings of a sketch and checks them against one another.

#include "SketchTemplate.h"

#include "Diffuse/IR/Names.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"

#include "llvm/ADT/StringSet.h"

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

bool TileStep::isMade(const Choices &choices) const {
  return llvm::all_of(guard, [&](const auto &term) {
    auto choice = choices.find(term.first);
    return choice != choices.end() && choice->second == term.second;
  });
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

/// The tilings that make the loops of the anchor; those of side work carry
/// `diffuse.side`.
static LogicalResult readSteps(SketchTemplate &sketch) {
  WalkResult result = sketch.tensor.walk([&](Operation *op) {
    if (!op->hasAttr(sketch_attr::kWalk))
      return WalkResult::advance();
    FailureOr<TileStep> step = readTileStep(op);
    if (failed(step))
      return WalkResult::interrupt();
    step->guard = guardOf(op);
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
  if (sketch.applies)
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
      return knob.op->emitError()
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
        return knob.op->emitError()
               << "knob '" << knob.name << "' is the size of a tile, so its "
               << "options must be at least 1, but " << value << " is one";
  }
  return success();
}

/// `diffuse.bind` names a knob and an integer that the op has. A loop order is
/// bound where the tiling is expanded.
static LogicalResult checkBindings(const SketchTemplate &sketch,
                                   transform::NamedSequenceOp sequence) {
  WalkResult result = sequence.walk([&](Operation *op) {
    auto bind = op->getAttrOfType<DictionaryAttr>(sketch_attr::kBind);
    for (NamedAttribute entry :
         bind ? bind.getValue() : ArrayRef<NamedAttribute>()) {
      auto name = dyn_cast<StringAttr>(entry.getValue());
      bool isKnob = name && llvm::any_of(sketch.knobs, [&](const KnobSpec &k) {
                      return k.name == name.getValue();
                    });
      bool isOrder = op->hasAttr(sketch_attr::kOrders);
      if (isKnob &&
          (isOrder || op->getAttrOfType<IntegerAttr>(entry.getName())))
        continue;
      op->emitError() << "cannot bind '" << entry.getName().getValue()
                      << "' to " << entry.getValue()
                      << ": it takes an integer attribute that the op has, and "
                         "the name of an open knob";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkBindings(const SketchTemplate &sketch) {
  for (transform::NamedSequenceOp root : {sketch.tensor, sketch.vector})
    if (root)
      for (transform::NamedSequenceOp sequence : reachableSequences(root))
        if (failed(checkBindings(sketch, sequence)))
          return failure();
  return success();
}

LogicalResult diffuse::readSequences(SketchTemplate &sketch) {
  SmallVector<transform::NamedSequenceOp> roots = {sketch.tensor};
  if (sketch.vector)
    roots.push_back(sketch.vector);
  FailureOr<std::vector<KnobSpec>> knobs = readKnobs(roots);
  if (failed(knobs))
    return failure();
  sketch.knobs = std::move(*knobs);
  return success(
      succeeded(readSteps(sketch)) && succeeded(checkRanges(sketch)) &&
      succeeded(checkSizes(sketch)) && succeeded(checkBindings(sketch)));
}
