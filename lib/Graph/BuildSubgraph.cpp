// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function is canonical: ops in the order of their data flow from the root,
// arguments in the order in which these ops use them, scalar constants once at
// the top, foreign attributes dropped. So equal work gives equal functions,
// whatever order the front end printed it in.
//
// Results are written where they belong from the start: the root's init is the
// destination, and what initializes it (a fill, a broadcast bias, the copy of
// an accumulator that holds data) writes there too.
//
//   %i = linalg.fill ins(%zero) outs(%d)
//   %r = linalg.generic ins(%a, %b) outs(%i) {diffuse.anchor, diffuse.root}
//   %m = bufferization.materialize_in_destination %r in %d
//
// A root that is padded writes the interior of the destination:
//
//   %s = tensor.extract_slice %d[interior]
//   %i = linalg.fill ins(%zero) outs(%s)
//   %r = linalg.generic ins(%a, %b) outs(%i) {diffuse.anchor, diffuse.root}
//   %p = tensor.pad %r
//   %m = bufferization.materialize_in_destination %p in %d
//
// Of a named pattern the stages are made one after the other, so that their ops
// stand apart, and each op says which it belongs to:
//
//   %i = linalg.fill ins(%zero) outs(%e) {diffuse.prologue, diffuse.stage = 0}
//   %r = linalg.generic {diffuse.anchor, diffuse.root, diffuse.stage = 0} ...
//   %j = linalg.fill ins(%zero) outs(%d) {diffuse.prologue, diffuse.stage = 1}
//   %s = linalg.generic ins(%r, %w) outs(%j)
//            {diffuse.anchor, diffuse.root, diffuse.stage = 1}

#include "BuildSubgraph.h"

#include "Diffuse/IR/Names.h"
#include "OpKinds.h"
#include "SubgraphInputs.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace diffuse;
using namespace mlir;

namespace {
class SubgraphBuilder {
public:
  SubgraphBuilder(const OpGroup &group, const WrittenPads &written,
                  ParameterValues &parameters)
      : group(group), written(written), parameters(parameters),
        inputs(collectInputs(group, written)) {}
  BuiltSubgraph build(StringRef name);

private:
  func::FuncOp createFunction(StringRef name);
  void emit(Operation *op, ValueRange targets);
  Value emitInit(OpOperand &init, Value target);
  Value emitCopy(Value source, Value target, Location loc);
  Value createTarget(Value like);
  Value emitOperand(Value value);
  Value emitSlice(tensor::ExtractSliceOp slice);
  Value emitConstant(Operation *constant);
  void hoistConstants(Operation *op);
  void mark(Operation *from, Operation *to);
  void markStage(Operation *op);

  const OpGroup &group;
  /// The stage whose ops are made, and its number.
  const OpGroup *stage = &group;
  unsigned stageNumber = 0;
  const WrittenPads &written;
  ParameterValues &parameters;
  llvm::SetVector<Value> inputs;
  IRMapping mapping;
  OpBuilder builder = OpBuilder(group.root()->getContext());
  func::FuncOp function;
  /// End of the constants at the top of the body.
  Operation *lastConstant = nullptr;
  /// Constants of one op, type and value are one.
  using ConstantKey = std::tuple<OperationName, Type, Attribute>;
  llvm::DenseMap<ConstantKey, Value> constants;
};
} // namespace

func::FuncOp SubgraphBuilder::createFunction(StringRef name) {
  Operation *root = group.root();
  llvm::SmallVector<Type> types;
  for (Value input : inputs)
    types.push_back(input.getType());
  TypeRange results = group.last()->getResultTypes();
  llvm::append_range(types, results);
  MLIRContext *context = root->getContext();
  function = func::FuncOp::create(root->getLoc(), name,
                                  FunctionType::get(context, types, results));
  function.setPrivate();
  function.setNoInline(true);
  UnitAttr unit = UnitAttr::get(context);
  function->setAttr(kSubgraphAttr, unit);
  for (auto [i, input] : llvm::enumerate(inputs))
    if (parameters.contains(input))
      function.setArgAttr(i, kParameterAttr, unit);
  for (unsigned i = inputs.size(); i < types.size(); ++i)
    function.setArgAttr(i, kDestinationAttr, unit);
  Block *entry = function.addEntryBlock();
  for (auto [i, input] : llvm::enumerate(inputs))
    mapping.map(input, entry->getArgument(i));
  builder.setInsertionPointToEnd(entry);
  return function;
}

Value SubgraphBuilder::emitConstant(Operation *constant) {
  Attribute value = constant->getPropertiesAsAttribute();
  if (!value)
    value = constant->getAttrDictionary();
  Value &emitted =
      constants[{constant->getName(), constant->getResult(0).getType(), value}];
  if (emitted)
    return emitted;
  OpBuilder::InsertionGuard guard(builder);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(&function.getBody().front());
  lastConstant = builder.clone(*constant);
  lastConstant->setDiscardableAttrs(
      DictionaryAttr::get(constant->getContext()));
  return emitted = lastConstant->getResult(0);
}

/// The interior of a padded tensor, which is the argument.
Value SubgraphBuilder::emitSlice(tensor::ExtractSliceOp slice) {
  Operation *copy = builder.clone(*slice, mapping);
  copy->setDiscardableAttrs(DictionaryAttr::get(slice->getContext()));
  mapping.map(slice.getResult(), copy->getResult(0));
  return copy->getResult(0);
}

Value SubgraphBuilder::emitOperand(Value value) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  if (written.isInterior(value))
    return emitSlice(value.getDefiningOp<tensor::ExtractSliceOp>());
  Operation *op = value.getDefiningOp();
  if (isInlineConstant(op))
    return emitConstant(op);
  assert(isShapeOnly(value) && "everything else is an input");
  Value empty = builder.clone(*op)->getResult(0);
  mapping.map(value, empty);
  return empty;
}

/// A tensor to write `like` into. Extents that are not known are those of the
/// first destination: fused ops walk the result of the root.
Value SubgraphBuilder::createTarget(Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Value destination = function.getArgument(inputs.size());
  llvm::SmallVector<Value> sizes;
  for (unsigned dim = 0, e = type.getRank(); dim < e; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          tensor::DimOp::create(builder, like.getLoc(), destination, dim));
  return tensor::EmptyOp::create(builder, like.getLoc(), type, sizes);
}

Value SubgraphBuilder::emitCopy(Value source, Value target, Location loc) {
  auto type = cast<RankedTensorType>(target.getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  llvm::SmallVector<utils::IteratorType> iterators(
      type.getRank(), utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      builder, loc, type, source, target, ArrayRef{identity, identity},
      iterators, [](OpBuilder &nested, Location at, ValueRange arguments) {
        linalg::YieldOp::create(nested, at, arguments[0]);
      });
  copy->setAttr(kPrologueAttr, builder.getUnitAttr());
  markStage(copy);
  return copy.getResult(0);
}

/// `target` may be null when it is not made yet.
Value SubgraphBuilder::emitInit(OpOperand &init, Value target) {
  InitKind kind = classifyInit(init);
  Value source = init.get();
  if (!target)
    target = createTarget(source);
  if (kind == InitKind::Fresh)
    return target;
  if (kind == InitKind::Tied)
    return emitCopy(emitOperand(source), target, source.getLoc());
  // The next use of this producer writes somewhere else, or reads an argument.
  Value passed = mapping.lookupOrNull(source);
  emit(source.getDefiningOp(), target);
  Value result = mapping.lookup(source);
  result.getDefiningOp()->setAttr(kPrologueAttr, builder.getUnitAttr());
  if (passed)
    mapping.map(source, passed);
  else
    mapping.erase(source);
  return result;
}

void SubgraphBuilder::hoistConstants(Operation *op) {
  llvm::SmallVector<Operation *> inner;
  op->walk([&](Operation *nested) {
    if (nested != op && isInlineConstant(nested))
      inner.push_back(nested);
  });
  for (Operation *constant : inner) {
    constant->getResult(0).replaceAllUsesWith(emitConstant(constant));
    constant->erase();
  }
}

void SubgraphBuilder::markStage(Operation *op) {
  if (!group.before.empty())
    op->setAttr(kStageAttr, builder.getI64IntegerAttr(stageNumber));
}

void SubgraphBuilder::mark(Operation *from, Operation *to) {
  UnitAttr unit = builder.getUnitAttr();
  to->setDiscardableAttrs(DictionaryAttr::get(to->getContext()));
  if (from == stage->anchor)
    to->setAttr(kAnchorAttr, unit);
  if (from == stage->root())
    to->setAttr(kRootAttr, unit);
  if (llvm::is_contained(stage->epilogue, from))
    to->setAttr(kEpilogueAttr, unit);
  if (llvm::is_contained(stage->prologue, from))
    to->setAttr(kPrologueAttr, unit);
  if (from != group.pad)
    markStage(to);
}

/// Emits `op` after what it needs. `targets` are where its results are written;
/// none given means new tensors.
void SubgraphBuilder::emit(Operation *op, ValueRange targets) {
  llvm::SmallVector<Value> operands;
  unsigned nextInit = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isInit(operand)) {
      Value target = targets.empty() ? Value() : targets[nextInit++];
      operands.push_back(emitInit(operand, target));
      continue;
    }
    if (Operation *producer = getProducer(group, operand);
        producer && !mapping.contains(operand.get()))
      emit(producer, {});
    operands.push_back(emitOperand(operand.get()));
  }
  walkCaptured(op,
               [&](Value value) { mapping.map(value, emitOperand(value)); });
  // Cloning maps blocks and their arguments too, and an op that starts two
  // results is cloned twice: each time into blocks of its own.
  IRMapping inside(mapping);
  Operation *copy = builder.clone(*op, inside);
  mapping.map(op->getResults(), copy->getResults());
  copy->setOperands(operands);
  hoistConstants(copy);
  mark(op, copy);
}

BuiltSubgraph SubgraphBuilder::build(StringRef name) {
  Operation *root = group.root();
  createFunction(name);
  for (const OpGroup &before : group.before) {
    stage = &before;
    emit(before.root(), {});
    ++stageNumber;
  }
  stage = &group;
  ValueRange destinations =
      function.getArguments().take_back(root->getNumResults());
  if (auto pad = cast_or_null<tensor::PadOp>(group.pad)) {
    Value interior = sliceInterior(builder, pad, destinations.front());
    emit(root, interior);
    emit(pad, {});
  } else {
    emit(root, destinations);
  }
  llvm::SmallVector<Value> results;
  for (auto [result, destination] :
       llvm::zip_equal(group.last()->getResults(), destinations)) {
    Value written = mapping.lookup(result);
    results.push_back(
        bufferization::MaterializeInDestinationOp::create(
            builder, root->getLoc(), written.getType(), written, destination)
            .getResult());
  }
  func::ReturnOp::create(builder, root->getLoc(), results);
  BuiltSubgraph built;
  built.function = function;
  built.inputs = inputs.takeVector();
  return built;
}

BuiltSubgraph diffuse::buildSubgraph(const OpGroup &group, StringRef name,
                                     const WrittenPads &written,
                                     ParameterValues &parameters) {
  return SubgraphBuilder(group, written, parameters).build(name);
}
