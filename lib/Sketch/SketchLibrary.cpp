// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Sketch/SketchLibrary.h"

#include "EmbeddedSketches.h"
#include "SketchTemplate.h"

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
  const Dimension *found = storage->dimensions.find(dimension);
  return found && found->extent > 0 ? found->extent : 0;
}

double BoundSketch::spaceSize() const {
  double size = 1;
  for (const Knob &knob : storage->knobs)
    size *= double(knob.domain.size());
  return size;
}

const SubgraphDescriptor &BoundSketch::descriptor() const {
  return storage->descriptor;
}

const TargetDescription &BoundSketch::target() const { return storage->target; }

//===-- SketchLibrary -----------------------------------------------------===//

FailureOr<SketchLibrary>
SketchLibrary::parse(StringRef text, StringRef fileName, MLIRContext *context) {
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
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!module)
    return failure();
  auto sketches = readSketches(std::move(module));
  if (failed(sketches))
    return failure();
  SketchLibrary library;
  library.sketches = std::move(*sketches);
  return library;
}

FailureOr<SketchLibrary> SketchLibrary::builtin(MLIRContext *context) {
  return parse(kEmbeddedSketches, "builtin sketches", context);
}

void SketchLibrary::append(const SketchLibrary &other) {
  sketches.append(other.sketches);
}

SmallVector<std::string> SketchLibrary::names() const {
  SmallVector<std::string> names;
  for (const auto &sketch : sketches)
    names.push_back(sketch->name);
  return names;
}

/// Null when a knob has no value for the subgraph.
static std::shared_ptr<const BoundSketch::Storage>
bindSketch(std::shared_ptr<const SketchTemplate> sketch,
           const SubgraphDescriptor &descriptor,
           const DimensionTable &dimensions, const TargetDescription &target) {
  auto storage = std::make_shared<BoundSketch::Storage>();
  storage->descriptor = descriptor;
  storage->target = target;
  storage->dimensions = dimensions;
  storage->lanes = target.lanes(descriptor.accumulatorBits);
  for (const KnobSpec &spec : sketch->knobs) {
    Knob knob;
    knob.name = spec.name;
    knob.role = spec.role;
    knob.dim = spec.dim;
    knob.level = spec.level;
    knob.domain = evaluateDomain(spec.options, dimensions, storage->lanes);
    if (knob.domain.empty())
      return nullptr;
    storage->knobs.push_back(std::move(knob));
  }
  storage->sketch = std::move(sketch);
  return storage;
}

/// Sums of floating-point numbers, whose value depends on order and rounding.
static bool sumsFloats(const SubgraphDescriptor &descriptor) {
  bool isFloat = llvm::StringRef(descriptor.accumulatorType).contains('f');
  return isFloat && llvm::any_of(descriptor.dims, [](const DimInfo &dim) {
           return isReduction(dim.role);
         });
}

SmallVector<BoundSketch>
SketchLibrary::bind(const SubgraphDescriptor &descriptor,
                    const TargetDescription &target, Numerics numerics) const {
  if (numerics == Numerics::Strict && sumsFloats(descriptor))
    return {};
  DimensionTable dimensions = nameDimensions(descriptor);
  SmallVector<BoundSketch> bound;
  for (const auto &sketch : sketches)
    if (appliesTo(*sketch, descriptor, dimensions, target))
      if (auto storage = bindSketch(sketch, descriptor, dimensions, target))
        bound.push_back(BoundSketch(std::move(storage)));
  llvm::stable_sort(bound, [](const BoundSketch &a, const BoundSketch &b) {
    return a.get().sketch->rank < b.get().sketch->rank;
  });
  return bound;
}
