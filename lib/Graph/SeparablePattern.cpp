// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SeparablePattern.h"

using namespace diffuse;
using namespace mlir;

/// For each dimension of what `op` computes, its loop's role.
static llvm::SmallVector<DimInfo> getResultRoles(linalg::LinalgOp op) {
  DimRoles roles = inferDimRoles(op);
  llvm::SmallVector<DimInfo> dims;
  for (AffineExpr expr :
       op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
    dims.push_back(roles.dims[cast<AffineDimExpr>(expr).getPosition()]);
  return dims;
}

bool diffuse::isDepthwise(const OpGroup &group) {
  return inferDimRoles(group.anchor).kind == AnchorKind::DepthwiseConvolution;
}

bool diffuse::walksImage(const OpGroup &depthwise, const Contraction &reader,
                         ArrayRef<AffineExpr> walk) {
  bool hasRows = false;
  for (auto [dim, expr] : llvm::zip_equal(
           getResultRoles(cast<linalg::LinalgOp>(depthwise.anchor)), walk)) {
    bool isRow = dim.role == DimRole::Image && dim.extent > 1;
    if (isRow && reader.isSummed(expr))
      return false;
    hasRows |= isRow;
  }
  return hasRows;
}

std::optional<GroupNumbers> diffuse::matchSeparable(const GroupLinks &links,
                                                    unsigned depthwise) {
  const OpGroup &group = links.getGroup(depthwise);
  if (!isDepthwise(group))
    return std::nullopt;
  auto reader = findReadingContraction(links, depthwise);
  if (!reader ||
      !walksImage(group, reader->contraction, reader->link.map.getResults()))
    return std::nullopt;
  return GroupNumbers{depthwise, reader->group};
}
