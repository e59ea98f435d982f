// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApplyNumerics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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

static void allowReassociation(ModuleOp module) {
  auto allowed = arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
  module.walk([&](arith::ArithFastMathInterface op) {
    arith::FastMathFlags present = op.getFastMathFlagsAttr()
                                       ? op.getFastMathFlagsAttr().getValue()
                                       : arith::FastMathFlags::none;
    op->setAttr(
        op.getFastMathAttrName(),
        arith::FastMathFlagsAttr::get(op->getContext(), present | allowed));
  });
}

/// Upstream's polynomials that were measured to stay within 2 ulp.
static bool isAccurate(StringRef name) {
  return name == math::ExpOp::getOperationName();
}

static void approximateVectorMath(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
        op->getNumResults() == 1 && isa<VectorType>(op->getResult(0).getType()))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  RewritePatternSet patterns(module.getContext());
  populateMathPolynomialApproximationPatterns(patterns, isAccurate);
  (void)applyOpPatternsGreedily(ops, std::move(patterns));
}

void diffuse::applyNumerics(ModuleOp module, Numerics numerics) {
  if (numerics == Numerics::Strict) {
    splitVectorFma(module);
    return;
  }
  allowReassociation(module);
  // Afterwards: the polynomials' own operations must not be reassociated.
  approximateVectorMath(module);
}
