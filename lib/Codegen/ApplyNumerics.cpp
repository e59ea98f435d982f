// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApplyNumerics.h"

#include "ApproximateMath.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace diffuse;

static void splitVectorFma(ModuleOp module) {
  module.walk([](vector::FMAOp fma) {
    OpBuilder builder(fma);
    Location loc = fma.getLoc();
    Value product =
        arith::MulFOp::create(builder, loc, fma.getLhs(), fma.getRhs());
    Value sum = arith::AddFOp::create(builder, loc, product, fma.getAcc());
    fma.replaceAllUsesWith(sum);
    fma.erase();
  });
}

/// Adds to the flags that the op has.
static void allow(Operation *op, arith::FastMathFlags allowed) {
  auto flags = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags present = flags.getFastMathFlagsAttr()
                                     ? flags.getFastMathFlagsAttr().getValue()
                                     : arith::FastMathFlags::none;
  op->setAttr(
      flags.getFastMathAttrName(),
      arith::FastMathFlagsAttr::get(op->getContext(), present | allowed));
}

void diffuse::allowSumReordering(ModuleOp module, Numerics numerics) {
  if (numerics == Numerics::Strict)
    return;
  module.walk([](linalg::LinalgOp op) {
    for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
      SmallVector<Operation *> combiners;
      if (op.getNumReductionLoops() &&
          matchReduction(op.getRegionOutputArgs(), i, combiners) &&
          combiners.size() == 1 && isa<arith::AddFOp>(combiners[0]))
        allow(combiners[0], arith::FastMathFlags::reassoc);
    }
  });
}

/// Multiplications and additions only. On casts `contract` would delete pairs
/// that round, and reassociated products or quotients overflow where the source
/// does not.
static void allowContraction(ModuleOp module) {
  module.walk([](Operation *op) {
    if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
      allow(op, arith::FastMathFlags::contract);
    // A sum of lanes, which the schedule has put out of order already.
    auto lanes = dyn_cast<vector::ReductionOp>(op);
    if (lanes && lanes.getKind() == vector::CombiningKind::ADD &&
        isa<FloatType>(lanes.getType()))
      allow(op, arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
  });
}

void diffuse::applyNumerics(ModuleOp module, Numerics numerics, bool hasFma) {
  if (numerics == Numerics::Strict) {
    splitVectorFma(module);
    return;
  }
  allowContraction(module);
  // Afterwards: the polynomials say themselves what is fused.
  approximateVectorMath(module, hasFma);
}
