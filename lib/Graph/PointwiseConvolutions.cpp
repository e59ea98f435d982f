// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution whose window is one element sums over channels only, so it is a
// contraction: one sketch schedules both.

#include "CollapseLoops.h"
#include "Diffuse/Analysis/DimRoles.h"
#include "NormalizePatterns.h"
#include "OpKinds.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// A convolution with a window of one element and unit strides, named or in
/// blocks of channels, is a contraction.
struct PointwiseConvolution : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOutlinable(op) || !isPointwise(op))
      return failure();
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
      return dropWindow(generic, rewriter);
    auto generic = linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return failure();
    return dropWindow(*generic, rewriter);
  }

private:
  static bool isPointwise(linalg::LinalgOp op) {
    DimRoles roles = inferDimRoles(op);
    if (roles.kind != AnchorKind::Convolution)
      return false;
    bool unitWindow = llvm::all_of(roles.dims, [](const DimInfo &dim) {
      return dim.role != DimRole::Window || dim.extent == 1;
    });
    bool hasChannels = llvm::any_of(roles.dims, [](const DimInfo &dim) {
      return dim.role == DimRole::Channel;
    });
    return unitWindow && hasChannels && readsWholeImage(op, roles) &&
           llvm::all_of(roles.strides,
                        [](int64_t stride) { return stride == 1; });
  }

  /// Windows may leave a rest of the input unread; plain loops may not. So the
  /// extents must be known to be those of the result.
  static bool readsWholeImage(linalg::LinalgOp op, const DimRoles &roles) {
    OpOperand &input = op->getOpOperand(getTensorInputs(op).front());
    ArrayRef<int64_t> shape = op.getShape(&input);
    AffineMap map = op.getMatchingIndexingMap(&input);
    for (auto [loop, dim] : llvm::enumerate(roles.dims)) {
      if (dim.role != DimRole::Image)
        continue;
      for (auto [expr, extent] : llvm::zip_equal(map.getResults(), shape))
        if (expr.isFunctionOfDim(loop) &&
            (dim.isDynamic() || extent != dim.extent))
          return false;
    }
    return true;
  }

  /// Window loops are 0 all along: they leave the input's map and merge into
  /// the channels.
  static LogicalResult dropWindow(linalg::GenericOp op,
                                  PatternRewriter &rewriter) {
    DimRoles roles = inferDimRoles(op);
    llvm::SmallVector<AffineExpr> loops;
    llvm::SmallVector<LoopGroup> groups;
    LoopGroup windows;
    int channel = -1;
    for (auto [loop, dim] : llvm::enumerate(roles.dims)) {
      bool isWindow = dim.role == DimRole::Window;
      loops.push_back(isWindow ? rewriter.getAffineConstantExpr(0)
                               : rewriter.getAffineDimExpr(loop));
      if (isWindow) {
        windows.push_back(loop);
        continue;
      }
      if (dim.role == DimRole::Channel && channel < 0)
        channel = groups.size();
      groups.push_back({unsigned(loop)});
    }
    llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap &input = maps[getTensorInputs(op).front()];
    input = input.replaceDimsAndSymbols(loops, {}, loops.size(), 0);
    rewriter.modifyOpInPlace(op, [&] {
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    assert(channel >= 0 && "a convolution sums over channels");
    groups[channel].append(windows);
    auto plan = planCollapse(op, groups);
    if (failed(plan))
      return success();
    collapseLoops(rewriter, op, groups, *plan);
    return success();
  }
};
} // namespace

void diffuse::populatePointwiseConvolutionPatterns(
    RewritePatternSet &patterns) {
  patterns.add<PointwiseConvolution>(patterns.getContext());
}
