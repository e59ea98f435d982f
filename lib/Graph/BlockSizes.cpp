// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockSizes.h"

#include "BlockedTensors.h"
#include "Diffuse/Analysis/Work.h"
#include "OpKinds.h"
#include "TensorTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <numeric>

using namespace diffuse;
using namespace mlir;

static bool isImage(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 4 && type.hasStaticShape();
}

int diffuse::getChannelLoop(linalg::LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.getNumResults() != 4)
    return -1;
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(kChannelDim));
  return expr ? int(expr.getPosition()) : -1;
}

static bool startsBlocks(Operation *op, ParameterValues &parameters) {
  auto convolution = dyn_cast<linalg::Conv2DNchwFchwOp>(op);
  if (!convolution || !isOutlinable(op) || !isImage(op->getResult(0)))
    return false;
  Type element = getType(convolution.getInputs()[0]).getElementType();
  return isa<Float32Type, Float64Type>(element) &&
         getType(convolution.getInputs()[1]).getElementType() == element &&
         getType(op->getResult(0)).getElementType() == element &&
         parameters.contains(convolution.getInputs()[1]);
}

/// The operands of `op` whose blocks are those of its result.
static llvm::SmallVector<Value> getTiedImages(Operation *op) {
  llvm::SmallVector<Value> tied;
  if (isa<tensor::PadOp, tensor::ConcatOp, tensor::InsertSliceOp>(op)) {
    llvm::copy_if(op->getOperands(), std::back_inserter(tied), isImage);
    return tied;
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || isa<linalg::Conv2DNchwFchwOp>(op))
    return tied;
  int loop = getChannelLoop(linalgOp, *linalgOp.getDpsInitOperand(0));
  for (OpOperand *input : linalgOp.getDpsInputOperands())
    if (loop >= 0 && isImage(input->get()) &&
        getChannelLoop(linalgOp, *input) == loop)
      tied.push_back(input->get());
  return tied;
}

static double countImageBytes(Value image) {
  RankedTensorType type = getType(image);
  return type.getNumElements() * type.getElementTypeBitWidth() / 8.0;
}

/// Whether `op`, whose filters fill half vectors only (1000 of them, in blocks
/// of 8 where a vector has 16), takes longer in blocks than plain, its input
/// moved to the plain form and its result back: half vectors double its time.
static bool isWorthPlainForm(Operation *op, const TargetDescription &target) {
  double moved =
      countImageBytes(op->getOperand(0)) + countImageBytes(op->getResult(0));
  return countFlops(op) > target.lanes(32) * moved;
}

llvm::DenseMap<Operation *, int64_t>
diffuse::chooseBlockSizes(func::FuncOp function,
                          const TargetDescription &target,
                          ParameterValues &parameters) {
  llvm::SmallVector<Operation *> starts;
  llvm::EquivalenceClasses<const void *> meeting;
  function.walk([&](Operation *op) {
    if (op->getNumResults() != 1 || !isImage(op->getResult(0)))
      return;
    const void *result = op->getResult(0).getAsOpaquePointer();
    if (startsBlocks(op, parameters)) {
      starts.push_back(op);
      meeting.insert(result);
    }
    for (Value image : getTiedImages(op))
      meeting.unionSets(result, image.getAsOpaquePointer());
  });

  auto channels = [](Operation *op) {
    return getType(op->getResult(0)).getDimSize(kChannelDim);
  };
  llvm::DenseMap<const void *, int64_t> common; // by leader
  for (Operation *op : starts) {
    int64_t &divisor =
        common[meeting.getLeaderValue(op->getResult(0).getAsOpaquePointer())];
    divisor = std::gcd(divisor, channels(op));
  }
  llvm::DenseMap<Operation *, int64_t> sizes;
  for (Operation *op : starts) {
    unsigned bits = getType(op->getResult(0)).getElementTypeBitWidth();
    int64_t shared = chooseBlock(
        target, bits,
        common[meeting.getLeaderValue(op->getResult(0).getAsOpaquePointer())]);
    int64_t own = chooseBlock(target, bits, channels(op));
    if (shared >= target.lanes(bits))
      sizes[op] = shared;
    else if (own >= target.lanes(bits) || !isWorthPlainForm(op, target))
      sizes[op] = own;
  }
  return sizes;
}
