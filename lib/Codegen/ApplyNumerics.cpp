// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApplyNumerics.h"

#include "ApproximateMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

void diffuse::applyNumerics(ModuleOp module, Numerics numerics, bool hasFma) {
  if (numerics == Numerics::Strict) {
    splitVectorFma(module);
    return;
  }
  allowReassociation(module);
  // Afterwards: the polynomials' own operations must not be reassociated.
  approximateVectorMath(module, hasFma);
}
