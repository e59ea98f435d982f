// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's schedule stays the user's text: what was chosen is filled in where
// upstream keeps it (`selected`, `selected_region`, bound attributes), and
// sequences are renamed so that those of several subgraphs fit into one module.
//
// Normalization has made generics of named ops. Where the text looks for the
// name of the anchor, a sequence before it specializes the anchor:
//
//   transform.named_sequence @NAME__tensor(%func) {
//     %anchor = match ops{["linalg.generic"]} attributes{diffuse.anchor}
//     %named = transform.structured.specialize %anchor
//     transform.annotate %named "diffuse.anchor"
//     transform.include @NAME__written failures(propagate) (%func)
//   }
//
// Where upstream cannot specialize it, the match is written as one for the
// anchor: the one place where the text changes.

#include "SketchTemplate.h"

#include "Diffuse/IR/Names.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace diffuse;
using namespace mlir;

using transform::NamedSequenceOp;

void diffuse::bindAttributes(Operation *op, const Choices &choices) {
  auto bind = op->getAttrOfType<DictionaryAttr>(sketch_attr::kBind);
  for (NamedAttribute entry :
       bind ? bind.getValue() : ArrayRef<NamedAttribute>()) {
    auto knob = dyn_cast<StringAttr>(entry.getValue());
    auto old = op->getAttrOfType<IntegerAttr>(entry.getName());
    auto choice = knob ? choices.find(knob.getValue().str()) : choices.end();
    if (old && choice != choices.end())
      op->setAttr(entry.getName(),
                  IntegerAttr::get(old.getType(), choice->second));
  }
}

/// The type of a value that the options give no attribute for.
static Type typeOfValue(transform::tune::KnobOp knob) {
  auto param = dyn_cast<transform::ParamType>(knob.getResult().getType());
  if (param && isa<IntegerType, IndexType>(param.getType()))
    return param.getType();
  return IntegerType::get(knob.getContext(), 64);
}

static void fill(Operation *op, const Choices &choices) {
  bindAttributes(op, choices);
  if (auto knob = dyn_cast<transform::tune::KnobOp>(op)) {
    auto choice = choices.find(knob.getName().str());
    if (choice != choices.end() && !knob.getSelectedAttr())
      knob.setSelectedAttr(
          optionOf(knob.getOptions(), choice->second, typeOfValue(knob)));
    return;
  }
  auto alternatives = dyn_cast<transform::tune::AlternativesOp>(op);
  if (!alternatives || alternatives.getSelectedRegionAttr() ||
      alternatives.getSelectedRegionParam())
    return;
  auto choice = choices.find(alternatives.getName().str());
  if (choice != choices.end())
    alternatives.setSelectedRegionAttrAttr(
        Builder(op->getContext()).getI64IntegerAttr(choice->second));
}

namespace {
class ScheduleFiller {
public:
  ScheduleFiller(const BoundSketch::Storage &bound, const Choices &choices,
                 StringRef name)
      : bound(bound), choices(choices), name(name),
        builder(bound.sketch->tensor->getContext()),
        module(ModuleOp::create(UnknownLoc::get(builder.getContext()))) {}

  OwningOpRef<ModuleOp> run();

private:
  void nameSequences();
  bool looksForAnchor() const;
  bool needsWrapper() const;
  /// Writes the sequence that prepares the subgraph and runs the text.
  void writeWrapper(NamedSequenceOp written);
  void copy(NamedSequenceOp sequence);
  void matchByMark(transform::MatchOp match);

  const BoundSketch::Storage &bound;
  const Choices &choices;
  StringRef name;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  SmallVector<NamedSequenceOp> sequences;
  llvm::DenseMap<StringAttr, std::string> names;
};
} // namespace

void ScheduleFiller::nameSequences() {
  NamedSequenceOp vector = bound.sketch->vector;
  for (NamedSequenceOp root : {bound.sketch->tensor, vector})
    if (root)
      for (NamedSequenceOp sequence : reachableSequences(root))
        if (!llvm::is_contained(sequences, sequence))
          sequences.push_back(sequence);
  for (NamedSequenceOp sequence : sequences) {
    std::string suffix = (kHelperInfix + sequence.getSymName()).str();
    if (sequence == bound.sketch->tensor)
      suffix = (needsWrapper() ? kWrittenSuffix : kTensorSuffix).str();
    else if (sequence == vector)
      suffix = kVectorSuffix.str();
    names[sequence.getSymNameAttr()] = (name + suffix).str();
  }
}

bool ScheduleFiller::looksForAnchor() const {
  return !bound.descriptor.namedAnchor.empty() &&
         llvm::is_contained(bound.sketch->matchedNames,
                            bound.descriptor.namedAnchor);
}

bool ScheduleFiller::needsWrapper() const {
  NamedSequenceOp tensor = bound.sketch->tensor;
  FunctionType type = tensor.getFunctionType();
  return (looksForAnchor() && bound.descriptor.isSpecializable) ||
         type.getNumResults() != 0 ||
         !isa<transform::AnyOpType>(type.getInput(0));
}

void ScheduleFiller::writeWrapper(NamedSequenceOp written) {
  Location loc = written.getLoc();
  Type any = transform::AnyOpType::get(builder.getContext());
  FunctionType type = written.getFunctionType();
  StringRef effect = transform::TransformDialect::kArgReadOnlyAttrName;
  if (written.getArgAttr(0, transform::TransformDialect::kArgConsumedAttrName))
    effect = transform::TransformDialect::kArgConsumedAttrName;
  auto wrapper = NamedSequenceOp::create(
      builder, loc, (name + kTensorSuffix).str(),
      TypeAttr::get(builder.getFunctionType({any}, {})),
      /*sym_visibility=*/nullptr,
      builder.getArrayAttr(builder.getDictionaryAttr(
          builder.getNamedAttr(effect, builder.getUnitAttr()))),
      /*res_attrs=*/nullptr);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&wrapper.getBody(), {}, {any}, {loc});
  Value function = body->getArgument(0);
  if (looksForAnchor() && bound.descriptor.isSpecializable) {
    auto mark = builder.getNamedAttr(kAnchorAttr, builder.getUnitAttr());
    Value anchor = transform::MatchOp::create(
        builder, loc, any, function,
        builder.getStrArrayAttr({"linalg.generic"}),
        /*interface=*/transform::MatchInterfaceEnumAttr(),
        builder.getDictionaryAttr(mark), /*filter_result_type=*/TypeAttr(),
        /*filter_operand_types=*/ArrayAttr());
    Value named = transform::SpecializeOp::create(builder, loc, any, anchor);
    for (StringRef attribute : {StringRef(kAnchorAttr), StringRef(kRootAttr)})
      if (attribute != kRootAttr || bound.descriptor.isAnchorRoot)
        transform::AnnotateOp::create(builder, loc, named, attribute,
                                      /*param=*/Value());
  }
  if (type.getInput(0) != any)
    function =
        transform::CastOp::create(builder, loc, type.getInput(0), function);
  transform::IncludeOp::create(
      builder, loc, type.getResults(),
      FlatSymbolRefAttr::get(builder.getContext(), written.getSymName()),
      transform::FailurePropagationModeAttr::get(
          builder.getContext(), transform::FailurePropagationMode::Propagate),
      ValueRange(function), /*arg_attrs=*/ArrayAttr(),
      /*res_attrs=*/ArrayAttr());
  transform::YieldOp::create(builder, loc);
}

void ScheduleFiller::matchByMark(transform::MatchOp match) {
  const SubgraphDescriptor &descriptor = bound.descriptor;
  ArrayAttr ops = match.getOpsAttr();
  auto isAnchor = [&](StringAttr op) {
    return op.getValue() == descriptor.namedAnchor;
  };
  auto isThere = [&](StringAttr op) {
    return llvm::is_contained(descriptor.opNames, op.getValue());
  };
  if (!ops || llvm::none_of(ops.getAsRange<StringAttr>(), isAnchor) ||
      llvm::any_of(ops.getAsRange<StringAttr>(), isThere))
    return;
  NamedAttrList attributes(match.getOpAttrsAttr());
  attributes.set(kAnchorAttr, builder.getUnitAttr());
  match.setOpsAttr(builder.getStrArrayAttr({"linalg.generic"}));
  match.setOpAttrsAttr(attributes.getDictionary(builder.getContext()));
}

void ScheduleFiller::copy(NamedSequenceOp sequence) {
  auto copied = cast<NamedSequenceOp>(builder.clone(*sequence));
  copied.setSymName(names.at(sequence.getSymNameAttr()));
  bool byMark = looksForAnchor() && !bound.descriptor.isSpecializable;
  copied->walk([&](Operation *op) {
    fill(op, choices);
    if (auto match = dyn_cast<transform::MatchOp>(op); match && byMark)
      matchByMark(match);
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](SymbolRefAttr symbol) -> std::optional<Attribute> {
        auto renamed = names.find(symbol.getLeafReference());
        if (renamed == names.end())
          return std::nullopt;
        return FlatSymbolRefAttr::get(builder.getContext(), renamed->second);
      });
  replacer.recursivelyReplaceElementsIn(copied);
}

OwningOpRef<ModuleOp> ScheduleFiller::run() {
  module.get()->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                        builder.getUnitAttr());
  builder.setInsertionPointToEnd(module->getBody());
  nameSequences();
  for (NamedSequenceOp sequence : sequences)
    copy(sequence);
  auto &first = module->getBody()->front();
  if (needsWrapper()) {
    builder.setInsertionPointToStart(module->getBody());
    writeWrapper(cast<NamedSequenceOp>(first));
  }
  return std::move(module);
}

FailureOr<OwningOpRef<ModuleOp>>
diffuse::fillSchedule(const BoundSketch::Storage &bound, const Choices &choices,
                      StringRef name) {
  return ScheduleFiller(bound, choices, name).run();
}
