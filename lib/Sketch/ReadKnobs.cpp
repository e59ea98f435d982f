// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The open choices of a schedule, in the order in which its ops run, sequences
// that it uses included. A choice inside alternatives is one only where its
// region is taken: its guard. Ops of one name are one choice wherever they
// stand, so a knob may have several guards.

#include "SketchTemplate.h"

#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"

#include <algorithm>
#include <numeric>

using namespace diffuse;
using namespace mlir;

using transform::NamedSequenceOp;
using transform::tune::AlternativesOp;
using transform::tune::KnobOp;

FailureOr<std::optional<std::string>> diffuse::selectorOf(Operation *op) {
  auto alternatives = cast<AlternativesOp>(op);
  Value param = alternatives.getSelectedRegionParam();
  if (!param) {
    if (alternatives.getSelectedRegionAttr())
      return std::optional<std::string>();
    return std::optional<std::string>(alternatives.getName().str());
  }
  auto knob = param.getDefiningOp<KnobOp>();
  if (!knob)
    return op->emitError() << "'" << alternatives.getNameAttr().getValue()
                           << "' takes its region from a param that is no "
                              "knob; name a knob, or leave the region open";
  if (knob.getSelectedAttr())
    return std::optional<std::string>();
  return std::optional<std::string>(knob.getName().str());
}

Knob::Guard diffuse::guardOf(Operation *op) {
  Knob::Guard guard;
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (auto choice = dyn_cast<AlternativesOp>(region->getParentOp()))
      if (auto selector = selectorOf(choice); succeeded(selector) && *selector)
        guard[**selector] = region->getRegionNumber();
  return guard;
}

/// Sequences that the symbols in the attributes of `op` name.
static SmallVector<NamedSequenceOp> sequencesUsedBy(Operation *op) {
  SmallVector<NamedSequenceOp> used;
  if (isa<NamedSequenceOp>(op))
    return used;
  op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
    if (auto sequence =
            SymbolTable::lookupNearestSymbolFrom<NamedSequenceOp>(op, symbol))
      used.push_back(sequence);
  });
  return used;
}

SmallVector<NamedSequenceOp> diffuse::reachableSequences(NamedSequenceOp root) {
  SmallVector<NamedSequenceOp> reached = {root};
  for (size_t next = 0; next < reached.size(); ++next)
    reached[next]->walk([&](Operation *op) {
      for (NamedSequenceOp used : sequencesUsedBy(op))
        if (!llvm::is_contained(reached, used))
          reached.push_back(used);
    });
  return reached;
}

namespace {
class KnobReader {
public:
  LogicalResult read(NamedSequenceOp sequence, const Knob::Guard &guard);
  /// Moves knobs behind those that their guards name.
  LogicalResult sort();
  std::vector<KnobSpec> knobs;

private:
  LogicalResult read(Region &region, const Knob::Guard &guard);
  LogicalResult read(Operation *op, const Knob::Guard &guard);
  LogicalResult readAlternatives(AlternativesOp op, const Knob::Guard &guard);
  LogicalResult add(KnobSpec spec, const Knob::Guard &guard);
  /// The choice made before that a knob without options asks for, as the vector
  /// part of a sketch does for one of the tensor part.
  const KnobSpec *choiceAskedFor(KnobOp knob) const;

  /// Sequences being read, outermost first.
  SmallVector<NamedSequenceOp> open;
};
} // namespace

static KnobSpec describeKnob(KnobOp knob) {
  KnobSpec spec;
  spec.op = knob;
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

static KnobSpec describeAlternatives(AlternativesOp choice) {
  Builder builder(choice.getContext());
  SmallVector<int64_t> regions(choice.getAlternatives().size());
  std::iota(regions.begin(), regions.end(), 0);
  KnobSpec spec;
  spec.op = choice;
  spec.name = choice.getName().str();
  spec.options = builder.getI64ArrayAttr(regions);
  spec.role = "form";
  return spec;
}

LogicalResult KnobReader::add(KnobSpec spec, const Knob::Guard &guard) {
  auto *known =
      llvm::find_if(MutableArrayRef(knobs), [&](const KnobSpec &other) {
        return other.name == spec.name;
      });
  if (known == MutableArrayRef(knobs).end()) {
    spec.guards.push_back(guard);
    knobs.push_back(std::move(spec));
    return success();
  }
  if (known->options != spec.options ||
      known->op->getName() != spec.op->getName()) {
    InFlightDiagnostic error = spec.op->emitError();
    error << "'" << spec.name << "' is the name of another choice already, "
          << "with other options; give it a name of its own";
    error.attachNote(known->op->getLoc()) << "the other one is here";
    return error;
  }
  if (!llvm::is_contained(known->guards, guard))
    known->guards.push_back(guard);
  return success();
}

const KnobSpec *KnobReader::choiceAskedFor(KnobOp knob) const {
  auto options = dyn_cast<ArrayAttr>(knob.getOptions());
  const auto *known = llvm::find_if(ArrayRef(knobs), [&](const KnobSpec &spec) {
    return spec.name == knob.getName();
  });
  return options && options.empty() && known != ArrayRef(knobs).end() ? known
                                                                      : nullptr;
}

/// Nothing is filled in where the choice `asked` for under `guard` is not open.
static LogicalResult checkOpen(KnobOp knob, const KnobSpec &asked,
                               const Knob::Guard &guard) {
  auto isImplied = [&](const Knob::Guard &needed) {
    return std::includes(guard.begin(), guard.end(), needed.begin(),
                         needed.end());
  };
  if (llvm::any_of(asked.guards, isImplied))
    return success();
  InFlightDiagnostic error = knob->emitError();
  error << "knob '" << asked.name << "' lists no options and stands where '"
        << asked.name << "' may be no choice; list its options here, too";
  error.attachNote(asked.op->getLoc()) << "it is a choice here";
  return error;
}

LogicalResult KnobReader::readAlternatives(AlternativesOp op,
                                           const Knob::Guard &guard) {
  FailureOr<std::optional<std::string>> selector = selectorOf(op);
  if (failed(selector))
    return failure();
  if (!op.getSelectedRegionParam() && *selector &&
      failed(add(describeAlternatives(op), guard)))
    return failure();
  std::optional<int64_t> decided;
  if (auto knob = op.getSelectedRegionParam()
                      ? op.getSelectedRegionParam().getDefiningOp<KnobOp>()
                      : KnobOp())
    if (auto value = dyn_cast_or_null<IntegerAttr>(knob.getSelectedAttr()))
      decided = value.getInt();
  if (auto region = op.getSelectedRegionAttrAttr())
    decided = region.getInt();
  for (auto [index, region] : llvm::enumerate(op.getAlternatives())) {
    if (decided && *decided != int64_t(index))
      continue;
    Knob::Guard inside = guard;
    if (*selector) {
      auto [entry, isNew] = inside.try_emplace(**selector, int64_t(index));
      // Under another region of the same choice nothing is ever taken.
      if (!isNew && entry->second != int64_t(index))
        continue;
    }
    if (failed(read(region, inside)))
      return failure();
  }
  return success();
}

LogicalResult KnobReader::read(Operation *op, const Knob::Guard &guard) {
  if (auto knob = dyn_cast<KnobOp>(op)) {
    if (const KnobSpec *asked = choiceAskedFor(knob))
      return checkOpen(knob, *asked, guard);
    if (failed(checkOptions(knob, knob.getOptions())))
      return failure();
    return knob.getSelectedAttr() ? success() : add(describeKnob(knob), guard);
  }
  if (auto choice = dyn_cast<AlternativesOp>(op))
    return readAlternatives(choice, guard);
  for (Region &region : op->getRegions())
    if (failed(read(region, guard)))
      return failure();
  for (NamedSequenceOp used : sequencesUsedBy(op))
    if (failed(read(used, guard)))
      return failure();
  return success();
}

LogicalResult KnobReader::read(Region &region, const Knob::Guard &guard) {
  for (Block &block : region)
    for (Operation &op : block)
      if (failed(read(&op, guard)))
        return failure();
  return success();
}

LogicalResult KnobReader::read(NamedSequenceOp sequence,
                               const Knob::Guard &guard) {
  if (llvm::is_contained(open, sequence))
    return sequence.emitError()
           << "'" << sequence.getSymName() << "' uses itself";
  open.push_back(sequence);
  LogicalResult result = read(sequence.getBody(), guard);
  open.pop_back();
  return result;
}

LogicalResult KnobReader::sort() {
  for (KnobSpec &knob : knobs)
    if (llvm::is_contained(knob.guards, Knob::Guard()))
      knob.guards.clear();
  std::vector<KnobSpec> sorted;
  auto isPlaced = [&](StringRef name) {
    return llvm::any_of(sorted,
                        [&](const KnobSpec &k) { return k.name == name; });
  };
  auto isReady = [&](const KnobSpec &knob) {
    return llvm::all_of(knob.guards, [&](const Knob::Guard &guard) {
      return llvm::all_of(
          guard, [&](const auto &term) { return isPlaced(term.first); });
    });
  };
  while (!knobs.empty()) {
    auto next = llvm::find_if(knobs, isReady);
    if (next == knobs.end())
      return knobs.front().op->emitError()
             << "whether '" << knobs.front().name
             << "' is a choice depends on itself; give one of the choices "
                "around it another name";
    sorted.push_back(std::move(*next));
    knobs.erase(next);
  }
  knobs = std::move(sorted);
  return success();
}

FailureOr<std::vector<KnobSpec>>
diffuse::readKnobs(ArrayRef<NamedSequenceOp> roots) {
  KnobReader reader;
  for (NamedSequenceOp root : roots)
    if (failed(reader.read(root, {})))
      return failure();
  if (failed(reader.sort()))
    return failure();
  return std::move(reader.knobs);
}
