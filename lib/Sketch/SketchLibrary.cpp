// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Sketch/SketchLibrary.h"

#include "EmbeddedSketches.h"
#include "StagedSketch.h"

#include "Diffuse/IR/Names.h"

#include "mlir/Dialect/Bufferization/TransformOps/BufferizationTransformOps.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/SCF/TransformOps/SCFTransformOps.h"
#include "mlir/Dialect/Tensor/TransformOps/TensorTransformOps.h"
#include "mlir/Dialect/Transform/LoopExtension/LoopExtension.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtension.h"
#include "mlir/Dialect/Vector/TransformOps/VectorTransformOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace diffuse;
using namespace mlir;

std::string diffuse::toString(const Candidate &candidate) {
  std::string text = candidate.sketch + "{";
  for (const auto &[name, value] : candidate.choices) {
    if (text.back() != '{')
      text += ", ";
    text += name + "=" + std::to_string(value);
  }
  return text + "}";
}

//===-- BoundSketch -------------------------------------------------------===//

StringRef BoundSketch::name() const { return storage->sketch->name; }

ArrayRef<Knob> BoundSketch::knobs() const { return storage->knobs; }

const Knob *BoundSketch::findKnob(StringRef name) const {
  for (const Knob &knob : storage->knobs)
    if (knob.name == name)
      return &knob;
  return nullptr;
}

int64_t BoundSketch::extentOf(StringRef dimension) const {
  if (storage->staged)
    return storage->staged->extentOf(dimension);
  const Dimension *found = storage->dimensions.find(dimension);
  return found && found->extent > 0 ? found->extent : 0;
}

bool BoundSketch::isModelled() const {
  return storage->staged || !storage->sketch->steps.empty();
}

double BoundSketch::coveredFlops() const {
  if (!storage->staged)
    return storage->descriptor.flops;
  double flops = 0;
  for (const SketchPart &part : parts())
    flops += part.sketch.descriptor().flops;
  return flops;
}

std::vector<SketchPart> BoundSketch::parts() const {
  std::vector<SketchPart> parts;
  if (storage->staged)
    for (const auto &[stage, sketch] :
         llvm::enumerate(storage->staged->whole().sketches))
      if (sketch)
        parts.push_back({*sketch, stagePrefix(stage)});
  return parts;
}

StringRef BoundSketch::sourceText() const { return storage->sketch->text; }

const SubgraphDescriptor &BoundSketch::descriptor() const {
  return storage->descriptor;
}

const TargetDescription &BoundSketch::target() const { return storage->target; }

//===-- SketchLibrary -----------------------------------------------------===//

static OwningOpRef<ModuleOp> parseText(StringRef text, StringRef fileName,
                                       MLIRContext *context) {
  DialectRegistry registry;
  linalg::registerTransformDialectExtension(registry);
  scf::registerTransformDialectExtension(registry);
  tensor::registerTransformDialectExtension(registry);
  vector::registerTransformDialectExtension(registry);
  bufferization::registerTransformDialectExtension(registry);
  transform::registerLoopExtension(registry);
  transform::registerTuneExtension(registry);
  context->appendDialectRegistry(registry);
  context->loadDialect<transform::TransformDialect>();

  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, fileName), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

FailureOr<SketchLibrary>
SketchLibrary::parse(StringRef text, StringRef fileName, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = parseText(text, fileName, context);
  if (!module)
    return failure();
  auto sketches = readUserSketches(std::move(module), fileName, text);
  SketchLibrary library, checked;
  if (failed(sketches))
    return failure();
  library.sketches = std::move(*sketches);
  if (failed(checked.append(library)))
    return failure();
  return checked;
}

FailureOr<SketchLibrary> SketchLibrary::builtin(MLIRContext *context) {
  OwningOpRef<ModuleOp> module =
      parseText(kEmbeddedSketches, "builtin sketches", context);
  if (!module)
    return failure();
  auto sketches = readLibrarySketches(std::move(module));
  SketchLibrary library;
  if (failed(sketches))
    return failure();
  library.sketches = std::move(*sketches);
  return library;
}

LogicalResult SketchLibrary::append(const SketchLibrary &other) {
  for (const auto &sketch : other.sketches) {
    auto *known = llvm::find_if(
        sketches, [&](const auto &s) { return s->name == sketch->name; });
    if (known != sketches.end()) {
      InFlightDiagnostic error =
          emitError(sketch->tensor->getLoc())
          << "there is another sketch '" << sketch->name
          << "', by which records could not tell the two apart; rename the "
             "sequence, or the file of a sequence @"
          << transform::TransformDialect::kTransformEntryPointSymbolName;
      if (!(*known)->text.empty())
        error.attachNote((*known)->tensor->getLoc()) << "the other one is here";
      return error;
    }
    sketches.push_back(sketch);
  }
  return success();
}

LogicalResult SketchLibrary::appendOne(const SketchLibrary &other,
                                       StringRef name) {
  SketchLibrary one;
  for (const auto &sketch : other.sketches)
    if (sketch->name == name)
      one.sketches.push_back(sketch);
  return append(one);
}

SmallVector<std::string> SketchLibrary::names() const {
  SmallVector<std::string> names;
  for (const auto &sketch : sketches)
    names.push_back(sketch->name);
  return names;
}

/// Without knobs as yet.
static std::shared_ptr<BoundSketch::Storage>
makeStorage(std::shared_ptr<const SketchTemplate> sketch,
            const SubgraphDescriptor &descriptor,
            const DimensionTable &dimensions, const TargetDescription &target) {
  auto storage = std::make_shared<BoundSketch::Storage>();
  storage->descriptor = descriptor;
  storage->target = target;
  storage->dimensions = dimensions;
  storage->lanes = target.lanes(descriptor.accumulatorBits);
  storage->sketch = std::move(sketch);
  return storage;
}

/// Why a knob of a user's sketch has no value for the subgraph; the library's
/// take a dimension that is not there for one of extent 1.
static std::string whyNoValue(const SketchTemplate &sketch,
                              const KnobSpec &spec,
                              const DimensionTable &dimensions) {
  StringRef dimension = dimensionOf(spec.options);
  if (!sketch.text.empty() && !dimension.empty() && !dimensions.find(dimension))
    return "knob '" + spec.name + "' speaks of the dimension " +
           dimension.str() + ", which is not there";
  return "";
}

/// Evaluates the domains; says why one is empty.
static std::string bindKnobs(BoundSketch::Storage &storage) {
  for (const KnobSpec &spec : storage.sketch->knobs) {
    std::string reason = whyNoValue(*storage.sketch, spec, storage.dimensions);
    if (!reason.empty())
      return reason;
    Knob knob;
    knob.name = spec.name;
    knob.role = spec.role;
    knob.dim = spec.dim;
    knob.level = spec.level;
    knob.guards = spec.guards;
    knob.domain =
        evaluateDomain(spec.options, storage.dimensions, storage.lanes);
    if (knob.domain.empty())
      return "knob '" + spec.name + "' has no value for its extents";
    storage.knobs.push_back(std::move(knob));
  }
  return "";
}

/// Sums of floating-point numbers, whose value depends on order and rounding.
static bool sumsFloats(const SubgraphDescriptor &descriptor) {
  bool isFloat = llvm::StringRef(descriptor.accumulatorType).contains('f');
  bool isSum = llvm::any_of(descriptor.dims, [](const DimInfo &dim) {
    return isReduction(dim.role);
  });
  return (isFloat && isSum) || llvm::any_of(descriptor.stages, sumsFloats);
}

/// Binds the sketch; says why it does not take the subgraph where that fails.
static std::string bindSketch(std::shared_ptr<BoundSketch::Storage> storage,
                              Numerics numerics) {
  if (numerics == Numerics::Strict && sumsFloats(storage->descriptor))
    return "under strict numerics no schedule takes sums of floating-point "
           "numbers";
  bool namesStage =
      llvm::any_of(storage->sketch->sought, [](const SoughtOp &sought) {
        return llvm::is_contained(sought.attributes, kStageAttr);
      });
  if (!storage->descriptor.stages.empty() && !namesStage)
    return "the subgraph has several stages, and it does not say by " +
           kStageAttr.str() + " of which one it takes an op";
  std::string reason = whyNotTaken(*storage->sketch, storage->descriptor,
                                   storage->dimensions, storage->target);
  return reason.empty() ? bindKnobs(*storage) : reason;
}

SmallVector<BoundSketch>
SketchLibrary::bind(const SubgraphDescriptor &descriptor,
                    const TargetDescription &target, Numerics numerics) const {
  DimensionTable dimensions = nameDimensions(descriptor);
  SmallVector<BoundSketch> bound;
  if (!descriptor.stages.empty()) {
    SketchLibrary own;
    llvm::copy_if(sketches, std::back_inserter(own.sketches),
                  [](const auto &sketch) { return sketch->text.empty(); });
    bound = composeSketches(descriptor, target,
                            [&](const SubgraphDescriptor &stage) {
                              return own.bind(stage, target, numerics);
                            });
  }
  for (const auto &sketch : sketches) {
    // One of ours is for one anchor.
    if (!descriptor.stages.empty() && sketch->text.empty())
      continue;
    auto storage = makeStorage(sketch, descriptor, dimensions, target);
    if (bindSketch(storage, numerics).empty())
      bound.push_back(BoundSketch(std::move(storage)));
  }
  llvm::stable_sort(bound, [](const BoundSketch &a, const BoundSketch &b) {
    return a.get().sketch->rank < b.get().sketch->rank;
  });
  return bound;
}

std::string SketchLibrary::whyNot(StringRef name,
                                  const SubgraphDescriptor &descriptor,
                                  const TargetDescription &target,
                                  Numerics numerics) const {
  for (const auto &sketch : sketches)
    if (sketch->name == name)
      return bindSketch(
          makeStorage(sketch, descriptor, nameDimensions(descriptor), target),
          numerics);
  return "there is no such sketch";
}
