// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of elementwise ops become one op, and what feeds a reduction element
// by element becomes part of it. Only over the same loops, and for a single
// reader, so nothing is computed twice; but a sum or product is computed twice
// rather than stored and read again (the centred values of a normalization).
// Contractions and convolutions keep their bodies: sketches know them by these.

#include "Diffuse/Analysis/DimRoles.h"
#include "NormalizePatterns.h"
#include "OpKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace diffuse;
using namespace mlir;

/// Larger bodies hold more values than there are registers, and rebuilding them
/// at each step of a long chain would take quadratic time.
static constexpr unsigned maxBodyOps = 64;
static constexpr unsigned maxOperands = 16;

static unsigned countBodyOps(linalg::GenericOp op) {
  return op.getBody()->getOperations().size();
}

static bool fitsTogether(linalg::GenericOp producer,
                         linalg::GenericOp consumer) {
  return countBodyOps(producer) + countBodyOps(consumer) <= maxBodyOps &&
         producer->getNumOperands() + consumer->getNumOperands() <= maxOperands;
}

static bool isFusionConsumer(linalg::GenericOp op) {
  if (!isOutlinable(op))
    return false;
  return isElementwiseOp(op) || inferDimRoles(op).kind == AnchorKind::Reduction;
}

/// At most this many steps are repeated for each of at most so many readers.
static constexpr unsigned maxRepeatedSteps = 2;
static constexpr unsigned maxRepeatingReaders = 3;

/// A few additions and products of elements: less work than a trip to memory.
static bool isCheapToRepeat(linalg::GenericOp op) {
  unsigned steps = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    bool cheap = isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::AddIOp,
                     arith::SubIOp, arith::MulIOp>(inner);
    if (!cheap || ++steps > maxRepeatedSteps)
      return false;
  }
  return steps > 0;
}

/// `consumer` can compute what `input` holds by itself.
static bool canFuse(linalg::GenericOp consumer, OpOperand &input) {
  auto producer = input.get().getDefiningOp<linalg::GenericOp>();
  if (!producer || producer->getBlock() != consumer->getBlock() ||
      producer->getNumResults() != 1 || !isElementwiseOp(producer) ||
      !isOutlinable(producer) || !fitsTogether(producer, consumer))
    return false;
  return consumer.getMatchingIndexingMap(&input).isIdentity() &&
         !readsInit(producer, *producer.getDpsInitOperand(0)) &&
         linalg::areElementwiseOpsFusable(&input);
}

/// Every reader of `producer` can, so that nothing is left to store.
static bool vanishes(linalg::GenericOp producer) {
  unsigned readers = 0;
  for (OpOperand &use : producer->getUses()) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || ++readers > maxRepeatingReaders ||
        !isFusionConsumer(reader) || reader.isDpsInit(&use) ||
        !canFuse(reader, use))
      return false;
  }
  return true;
}

/// True when `op` is going to be the epilogue of a reduction.
static bool isEpilogue(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    Operation *producer = input->get().getDefiningOp();
    return producer && isReduction(producer) && producer->hasOneUse() &&
           op.getMatchingIndexingMap(input).isIdentity();
  });
}

static bool shouldFuse(linalg::GenericOp consumer, OpOperand &input) {
  if (!canFuse(consumer, input))
    return false;
  auto producer = input.get().getDefiningOp<linalg::GenericOp>();
  return producer->hasOneUse() || (isCheapToRepeat(producer) &&
                                   !isEpilogue(producer) && vanishes(producer));
}

/// A producer that `input` reads alone: upstream's fusion would have the fused
/// op return what others still read.
static Operation *isolateProducer(OpOperand &input, RewriterBase &rewriter) {
  Operation *producer = input.get().getDefiningOp();
  if (producer->hasOneUse())
    return producer;
  rewriter.setInsertionPoint(input.getOwner());
  Operation *copy = rewriter.clone(*producer);
  rewriter.modifyOpInPlace(input.getOwner(),
                           [&] { input.set(copy->getResult(0)); });
  return copy;
}

namespace {
struct FuseProducer : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFusionConsumer(op))
      return failure();
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!shouldFuse(op, *input))
        continue;
      Operation *shared = input->get().getDefiningOp();
      Operation *producer = isolateProducer(*input, rewriter);
      auto fused = linalg::fuseElementwiseOps(rewriter, input);
      if (failed(fused))
        return success(producer != shared);
      rewriter.replaceOp(
          op, fused->fusedOp->getResults().take_back(op->getNumResults()));
      if (producer->use_empty())
        rewriter.eraseOp(producer);
      return success();
    }
    return failure();
  }
};
} // namespace

void diffuse::populateFusionPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseProducer>(patterns.getContext());
}
