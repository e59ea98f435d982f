// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of elementwise ops become one op, and what feeds a reduction element
// by element becomes part of it. Only over the same loops and for a single
// reader, so nothing is computed twice. Contractions and convolutions keep
// their bodies: sketches know them by these.

#include "Diffuse/Analysis/DimRoles.h"
#include "NormalizePatterns.h"
#include "OpKinds.h"
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

static bool canFuse(linalg::GenericOp consumer, OpOperand &input) {
  auto producer = input.get().getDefiningOp<linalg::GenericOp>();
  if (!producer || !producer->hasOneUse() ||
      producer->getBlock() != consumer->getBlock() ||
      producer->getNumResults() != 1 || !isElementwiseOp(producer) ||
      !isOutlinable(producer) || !fitsTogether(producer, consumer))
    return false;
  return consumer.getMatchingIndexingMap(&input).isIdentity() &&
         !readsInit(producer, *producer.getDpsInitOperand(0)) &&
         linalg::areElementwiseOpsFusable(&input);
}

namespace {
struct FuseProducer : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFusionConsumer(op))
      return failure();
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!canFuse(op, *input))
        continue;
      Operation *producer = input->get().getDefiningOp();
      auto fused = linalg::fuseElementwiseOps(rewriter, input);
      if (failed(fused))
        continue;
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
