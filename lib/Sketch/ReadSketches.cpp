// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sequences of a text are sketches. The library says so by
// `diffuse.sketch`. A schedule that was written for other tools says nothing:
// there `@__transform_main` is what mlir-opt would run, and without it every
// sequence that no other one uses is a schedule of its own. Payloads in the
// same file are passed over.

#include "SketchTemplate.h"

#include "Diffuse/IR/Names.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace diffuse;
using namespace mlir;

using transform::NamedSequenceOp;
using Module = std::shared_ptr<OwningOpRef<ModuleOp>>;

static NamedSequenceOp findSibling(NamedSequenceOp sequence, StringRef name) {
  return dyn_cast_or_null<NamedSequenceOp>(
      SymbolTable::lookupSymbolIn(sequence->getParentOp(), name));
}

//===-- sequences with diffuse.sketch -------------------------------------===//

static FailureOr<std::shared_ptr<SketchTemplate>>
readMarked(NamedSequenceOp sequence, const Module &module) {
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
  sketch->vector = findSibling(sequence, (name + kVectorSuffix).str());
  if (auto rank = sketch->applies.getAs<IntegerAttr>("rank"))
    sketch->rank = rank.getInt();
  if (failed(readSequences(*sketch)))
    return failure();
  return sketch;
}

FailureOr<SketchTemplates>
diffuse::readLibrarySketches(OwningOpRef<ModuleOp> parsed) {
  auto module = std::make_shared<OwningOpRef<ModuleOp>>(std::move(parsed));
  SketchTemplates sketches;
  for (auto sequence : module->get().getOps<NamedSequenceOp>()) {
    if (!sequence->hasAttr(sketch_attr::kSketch))
      continue;
    auto sketch = readMarked(sequence, module);
    if (failed(sketch))
      return failure();
    sketches.push_back(*sketch);
  }
  return sketches;
}

//===-- sequences of a user -----------------------------------------------===//

/// The sequences of all modules in the file, in their order.
static SmallVector<NamedSequenceOp> allSequences(ModuleOp module) {
  SmallVector<NamedSequenceOp> sequences;
  module.walk<WalkOrder::PreOrder>([&](NamedSequenceOp sequence) {
    if (!sequence.isExternal())
      sequences.push_back(sequence);
  });
  return sequences;
}

/// The vector part of a sketch is none by itself.
static bool isVectorPart(NamedSequenceOp sequence) {
  StringRef name = sequence.getSymName();
  return name.consume_back(kVectorSuffix) &&
         findSibling(sequence, (name + kTensorSuffix).str());
}

static SmallVector<NamedSequenceOp>
chooseEntries(ArrayRef<NamedSequenceOp> sequences) {
  SmallVector<NamedSequenceOp> entries;
  for (NamedSequenceOp sequence : sequences)
    if (sequence.getSymName() ==
        transform::TransformDialect::kTransformEntryPointSymbolName)
      entries.push_back(sequence);
  if (!entries.empty())
    return entries;
  SmallVector<NamedSequenceOp> used;
  for (NamedSequenceOp sequence : sequences)
    llvm::append_range(used, llvm::drop_begin(reachableSequences(sequence)));
  for (NamedSequenceOp sequence : sequences)
    if (!llvm::is_contained(used, sequence) && !isVectorPart(sequence))
      entries.push_back(sequence);
  return entries;
}

/// A schedule meets the function of one subgraph and nothing else.
static LogicalResult checkEntry(NamedSequenceOp entry) {
  TypeRange arguments = entry.getFunctionType().getInputs();
  if (arguments.size() != 1 ||
      !isa<transform::TransformHandleTypeInterface>(arguments.front()))
    return entry.emitError()
           << "a sketch takes one handle, the function of a subgraph, but '"
           << entry.getSymName() << "' has " << arguments.size()
           << " arguments";
  auto named = dyn_cast<transform::OperationType>(arguments.front());
  if (named && named.getOperationName() != "func.func")
    return entry.emitError()
           << "the argument of a sketch is the function of a subgraph, but '"
           << entry.getSymName() << "' takes '" << named.getOperationName()
           << "'; let it take !transform.any_op";
  return success();
}

static FailureOr<std::shared_ptr<SketchTemplate>>
readUnmarked(NamedSequenceOp entry, const Module &module, StringRef fileName) {
  auto sketch = std::make_shared<SketchTemplate>();
  StringRef name = entry.getSymName();
  if (name == transform::TransformDialect::kTransformEntryPointSymbolName)
    name = llvm::sys::path::stem(fileName);
  name.consume_back(kTensorSuffix);
  sketch->name = name.str();
  sketch->module = module;
  sketch->tensor = entry;
  if (StringRef stem = entry.getSymName(); stem.consume_back(kTensorSuffix))
    sketch->vector = findSibling(entry, (stem + kVectorSuffix).str());
  if (failed(checkEntry(entry)) || failed(readSequences(*sketch)))
    return failure();
  readMatches(*sketch);
  return sketch;
}

/// Whether an op of the sketch is a tiling by names of dimensions.
static bool namesDimensions(const SketchTemplate &sketch) {
  bool found = false;
  for (NamedSequenceOp sequence : reachableSequences(sketch.tensor))
    sequence.walk(
        [&](Operation *op) { found |= op->hasAttr(sketch_attr::kWalk); });
  return found;
}

/// What a text that stays as it is leaves open must say what of: a selected
/// value has to be one of the options listed.
static LogicalResult checkListed(const SketchTemplate &sketch) {
  SmallVector<NamedSequenceOp> sequences = reachableSequences(sketch.tensor);
  if (sketch.vector)
    llvm::append_range(sequences, reachableSequences(sketch.vector));
  for (NamedSequenceOp sequence : sequences) {
    WalkResult result = sequence.walk([](transform::tune::KnobOp knob) {
      auto options = dyn_cast<ArrayAttr>(knob.getOptions());
      if (knob.getSelectedAttr() || !options || !options.empty())
        return WalkResult::advance();
      knob->emitError() << "knob '" << knob.getName().getValue()
                        << "' lists no options, so no value can be filled in; "
                           "list those of the other '"
                        << knob.getName().getValue() << "' here, too";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

FailureOr<SketchTemplates>
diffuse::readUserSketches(OwningOpRef<ModuleOp> parsed, StringRef fileName,
                          StringRef text) {
  auto module = std::make_shared<OwningOpRef<ModuleOp>>(std::move(parsed));
  SmallVector<NamedSequenceOp> sequences = allSequences(module->get());
  auto isMarked = [](NamedSequenceOp sequence) {
    return sequence->hasAttr(sketch_attr::kSketch);
  };
  SmallVector<NamedSequenceOp> entries =
      llvm::to_vector(llvm::make_filter_range(sequences, isMarked));
  bool areMarked = !entries.empty();
  if (!areMarked)
    entries = chooseEntries(sequences);
  if (entries.empty())
    return emitError(
               FileLineColLoc::get(module->get().getContext(), fileName, 1, 1))
           << "there is no sketch here: expected a transform.named_sequence "
              "with a body that no other one uses";
  SketchTemplates sketches;
  for (NamedSequenceOp entry : entries) {
    auto sketch = areMarked ? readMarked(entry, module)
                            : readUnmarked(entry, module, fileName);
    if (failed(sketch) || failed(refuseLowering(entry)))
      return failure();
    (*sketch)->text = text.str();
    (*sketch)->keepsText = !namesDimensions(**sketch);
    if (areMarked)
      readMatchedNames(**sketch);
    if ((*sketch)->keepsText && failed(checkListed(**sketch)))
      return failure();
    sketches.push_back(*sketch);
  }
  return sketches;
}
