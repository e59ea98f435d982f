// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/CutTiles.h"

#include "Diffuse/Codegen/DecomposeOps.h"
#include "MoveSlices.h"
#include "RunPasses.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace diffuse;
using tensor::ExtractSliceOp;

/// Whether every element of every result depends on the inputs alone.
static bool canCut(func::FuncOp function) {
  bool isKnown = function.getBody().hasOneBlock() &&
                 llvm::all_of(function.getArgumentTypes(), [](Type type) {
                   auto shaped = dyn_cast<ShapedType>(type);
                   return !shaped || shaped.hasStaticShape();
                 });
  return isKnown &&
         !function
              .walk([](Operation *op) {
                bool isPure =
                    isa<func::FuncOp, func::ReturnOp>(op) ||
                    isa<bufferization::MaterializeInDestinationOp>(op) ||
                    isMemoryEffectFree(op);
                return isPure ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Ops that write `target` whole write something of their own instead.
static void detach(Value target) {
  OpBuilder builder(target.getContext());
  for (OpOperand &use : llvm::make_early_inc_range(target.getUses())) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!op || !op.isDpsInit(&use) || op.payloadUsesValueFromOperand(&use))
      continue;
    builder.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(target.getType());
    use.set(tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                    type.getElementType()));
  }
}

/// No op writes a destination, or the part of one that is padded.
static void detachDestinations(func::FuncOp function, unsigned first) {
  for (BlockArgument argument : function.getArguments().drop_front(first)) {
    detach(argument);
    for (Operation *user : argument.getUsers())
      if (auto slice = dyn_cast<ExtractSliceOp>(user))
        detach(slice.getResult());
  }
}

/// What is returned as a result, without the mark of its destination.
static Value writtenValue(Value returned) {
  auto marker =
      returned.getDefiningOp<bufferization::MaterializeInDestinationOp>();
  return marker ? marker.getSource() : returned;
}

/// Gives `function` the tiles as results. Its old destinations stay.
static LogicalResult returnTiles(func::FuncOp function,
                                 ArrayRef<OutputTile> tiles,
                                 SmallVectorImpl<ExtractSliceOp> &slices) {
  MLIRContext *context = function.getContext();
  OpBuilder builder(context);
  Operation *terminator = function.front().getTerminator();
  SmallVector<Value> returned = terminator->getOperands();
  NamedAttribute mark =
      builder.getNamedAttr(kDestinationAttr, builder.getUnitAttr());
  SmallVector<Value> results;
  for (const OutputTile &tile : tiles) {
    if (tile.result >= returned.size())
      return failure();
    Value value = writtenValue(returned[tile.result]);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || !tile.liesIn(type.getShape()))
      return failure();
    Location loc = value.getLoc();
    builder.setInsertionPoint(terminator);
    auto cut = ExtractSliceOp::create(
        builder, loc, value, getAsIndexOpFoldResult(context, tile.offsets),
        getAsIndexOpFoldResult(context, tile.sizes),
        SmallVector<OpFoldResult>(tile.sizes.size(), builder.getIndexAttr(1)));
    slices.push_back(cut);
    auto tileType = RankedTensorType::get(tile.sizes, type.getElementType());
    unsigned position = function.getNumArguments();
    if (failed(function.insertArgument(position, tileType,
                                       builder.getDictionaryAttr(mark), loc)))
      return failure();
    auto written = bufferization::MaterializeInDestinationOp::create(
        builder, loc, tileType, cut, function.getArgument(position));
    results.push_back(written.getResult());
  }
  terminator->setOperands(results);
  function.removeResAttrsAttr();
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(),
                                     TypeRange(ValueRange(results))));
  return success();
}

/// Erases what nothing needs any more, the old results among it.
static void eraseDeadOps(func::FuncOp function) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op) ||
        (isa<bufferization::MaterializeInDestinationOp>(op) && op.use_empty()))
      op.erase();
}

/// Removes destinations from `first` on, `count` of them, which nothing reads.
static LogicalResult dropDestinations(func::FuncOp function, unsigned first,
                                      unsigned count) {
  llvm::BitVector dropped(function.getNumArguments());
  dropped.set(first, first + count);
  for (unsigned i : dropped.set_bits())
    if (!function.getArgument(i).use_empty())
      return failure();
  return function.eraseArguments(dropped);
}

FailureOr<OwningOpRef<ModuleOp>> diffuse::cutTiles(func::FuncOp function,
                                                   ArrayRef<OutputTile> tiles) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  module->push_back(function->clone());
  if (!canCut(function) || failed(decomposeOps(*module)))
    return failure();
  func::FuncOp cut = *module->getOps<func::FuncOp>().begin();
  unsigned inputs = countInputs(cut);
  unsigned destinations = cut.getNumArguments() - inputs;
  detachDestinations(cut, inputs);
  SmallVector<ExtractSliceOp> slices;
  if (failed(returnTiles(cut, tiles, slices)))
    return failure();
  moveSlicesUp(slices);
  eraseDeadOps(cut);
  if (failed(runPasses(
          *module, [](OpPassManager &pm) { pm.addPass(createCSEPass()); })) ||
      failed(dropDestinations(cut, inputs, destinations)))
    return failure();
  return module;
}
