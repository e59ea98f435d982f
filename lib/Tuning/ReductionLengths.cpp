// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/ReductionLengths.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <algorithm>

using namespace diffuse;
using namespace mlir;

static int64_t knownExtent(int64_t extent) {
  return ShapedType::isDynamic(extent) ? 1 : std::max<int64_t>(1, extent);
}

/// Terms that one element of the result of `op` sums over; 0 without a
/// reduction.
static int64_t lengthOf(Operation *op) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return knownExtent(
        softmax.getInputOperandType().getDimSize(softmax.getDimension()));
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0)
    return 0;
  int64_t length = 1;
  for (auto [kind, extent] : llvm::zip_equal(linalgOp.getIteratorTypesArray(),
                                             linalgOp.getStaticLoopRanges()))
    if (kind == utils::IteratorType::reduction)
      length *= knownExtent(extent);
  return length;
}

std::vector<int64_t> diffuse::reductionLengths(func::FuncOp subgraph) {
  std::vector<int64_t> lengths;
  Operation *terminator = subgraph.getBody().front().getTerminator();
  for (Value result : terminator->getOperands()) {
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    (void)getBackwardSlice(result, &slice, options);
    int64_t length = 0;
    for (Operation *op : slice)
      length += lengthOf(op);
    lengths.push_back(std::max<int64_t>(1, length));
  }
  return lengths;
}
