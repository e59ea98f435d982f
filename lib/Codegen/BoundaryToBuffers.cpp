// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoundaryToBuffers.h"

#include "Diffuse/IR/Names.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace diffuse;

static MemRefType bufferOf(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

static SmallVector<unsigned> destinationsOf(func::FuncOp function) {
  SmallVector<unsigned> destinations;
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (function.getArgAttr(i, kDestinationAttr))
      destinations.push_back(i);
  return destinations;
}

/// Appends a tensor destination for each result that has none. A destination
/// of a scalar is a tensor of rank 0.
static void addMissingDestinations(func::FuncOp function) {
  auto results = function.getFunctionType().getResults();
  unsigned present = destinationsOf(function).size();
  OpBuilder builder(function.getContext());
  auto mark = builder.getDictionaryAttr(
      builder.getNamedAttr(kDestinationAttr, builder.getUnitAttr()));
  for (Type result :
       results.drop_front(std::min<size_t>(present, results.size()))) {
    Type tensor = isa<RankedTensorType>(result)
                      ? result
                      : RankedTensorType::get({}, result);
    (void)function.insertArgument(function.getNumArguments(), tensor, mark,
                                  function.getLoc());
  }
}

/// Turns tensor arguments into buffers. Destinations that are used other than
/// by being materialized into stay readable as tensors.
static void convertArguments(func::FuncOp function) {
  Block &entry = function.front();
  OpBuilder builder(&entry, entry.begin());
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    bool writable = function.getArgAttr(argument.getArgNumber(),
                                        kDestinationAttr) != nullptr;
    argument.setType(bufferOf(type));
    if (argument.use_empty())
      continue;
    auto tensor = bufferization::ToTensorOp::create(
        builder, argument.getLoc(), type, argument, /*restrict=*/true,
        writable);
    argument.replaceAllUsesExcept(tensor.getResult(), tensor);
  }
}

/// Follows free reshapes from `value` back to what computes it, turning each
/// into a view of `buffer`. Only static shapes: their views need no operands
/// and can stand at the start of the function, where the elimination of empty
/// tensors finds them.
static Value lookThroughReshapes(OpBuilder &builder, Value value,
                                 Value &buffer) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() != 1)
      return value;
    auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto to = cast<RankedTensorType>(value.getType());
    if (!from || !from.hasStaticShape() || !to.hasStaticShape())
      return value;
    Location loc = op->getLoc();
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      buffer =
          memref::ExpandShapeOp::create(builder, loc, bufferOf(from), buffer,
                                        collapse.getReassociationIndices());
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      buffer =
          memref::CollapseShapeOp::create(builder, loc, bufferOf(from), buffer,
                                          expand.getReassociationIndices());
    else
      return value;
    value = op->getOperand(0);
  }
  return value;
}

/// What is written into `destination` by returning `value`: a trailing
/// materialization into the destination itself is only the marker of it.
static Value stripMarker(Value value, BlockArgument destination) {
  auto marker =
      value.getDefiningOp<bufferization::MaterializeInDestinationOp>();
  if (!marker || !isa<TensorType>(marker.getDest().getType()))
    return value;
  auto tensor = marker.getDest().getDefiningOp<bufferization::ToTensorOp>();
  return tensor && tensor.getBuffer() == destination ? marker.getSource()
                                                     : value;
}

static void writeResult(OpBuilder &builder, OpBuilder &views, Location loc,
                        Value value, BlockArgument destination) {
  if (!isa<RankedTensorType>(value.getType())) {
    memref::StoreOp::create(builder, loc, value, destination);
    return;
  }
  Value buffer = destination;
  value = stripMarker(value, destination);
  value = lookThroughReshapes(views, value, buffer);
  bufferization::MaterializeInDestinationOp::create(
      builder, loc, /*result=*/Type(), value, buffer, /*restrict=*/true,
      /*writable=*/true);
}

/// Erases markers and reads of destinations that nothing uses any more.
static void eraseDeadReads(func::FuncOp function) {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    auto marker = dyn_cast<bufferization::MaterializeInDestinationOp>(op);
    bool isMarker = marker && op->getNumResults() == 1;
    if ((isMarker || isa<bufferization::ToTensorOp>(op)) && op->use_empty())
      op->erase();
  });
}

void diffuse::boundaryToBuffers(func::FuncOp function) {
  addMissingDestinations(function);
  convertArguments(function);
  SmallVector<unsigned> destinations = destinationsOf(function);
  Block &entry = function.front();
  function.walk([&](func::ReturnOp op) {
    OpBuilder builder(op);
    OpBuilder views(&entry, entry.begin());
    for (auto [value, index] : llvm::zip(op.getOperands(), destinations))
      writeResult(builder, views, op.getLoc(), value,
                  function.getArgument(index));
    op->setOperands({});
  });
  eraseDeadReads(function);
  function.removeResAttrsAttr();
  function.setType(
      FunctionType::get(function.getContext(), entry.getArgumentTypes(), {}));
}
