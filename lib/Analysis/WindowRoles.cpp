// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read off the indexing maps. Upstream's inference takes exactly two operands,
// so it knows no quantized convolution, and it calls the channels of a pooling
// a batch.

#include "WindowRoles.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// One `loop * factor` of an indexing expression.
struct Term {
  unsigned loop;
  int64_t factor;
};

/// The maps that matter of a windowed op.
struct WindowMaps {
  AffineMap input, filter, result;
};
} // namespace

static std::optional<Term> getTerm(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Term{dim.getPosition(), 1};
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(product.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  if (!dim || !factor)
    return std::nullopt;
  return Term{dim.getPosition(), factor.getValue()};
}

/// An image and a window term, in this order.
static std::optional<std::pair<Term, Term>> getWindow(AffineExpr expr,
                                                      AffineMap result) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto left = getTerm(sum.getLHS()), right = getTerm(sum.getRHS());
  if (!left || !right)
    return std::nullopt;
  if (!result.isFunctionOfDim(left->loop))
    std::swap(left, right);
  if (!result.isFunctionOfDim(left->loop) ||
      result.isFunctionOfDim(right->loop))
    return std::nullopt;
  return std::pair(*left, *right);
}

static std::optional<WindowMaps> getMaps(linalg::LinalgOp op) {
  llvm::SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()))
      maps.push_back(op.getMatchingIndexingMap(input));
  if (maps.size() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!maps[1].isProjectedPermutation() || !result.isProjectedPermutation())
    return std::nullopt;
  return WindowMaps{maps[0], maps[1], result};
}

/// Loops that no window is made of.
static DimRole getPlainRole(const WindowMaps &maps, unsigned loop) {
  bool inInput = maps.input.isFunctionOfDim(loop);
  bool inFilter = maps.filter.isFunctionOfDim(loop);
  if (!maps.result.isFunctionOfDim(loop))
    return DimRole::Channel;
  if (inInput && inFilter)
    return DimRole::Group;
  return inInput ? DimRole::Batch : DimRole::Filter;
}

static bool hasRole(const DimRoles &roles, DimRole role) {
  return llvm::any_of(roles.dims,
                      [&](const DimInfo &dim) { return dim.role == role; });
}

/// A pooling's channels look like a second batch dimension.
static void renamePoolingChannels(DimRoles &roles) {
  bool isFirst = true;
  for (DimInfo &dim : roles.dims) {
    if (dim.role != DimRole::Batch)
      continue;
    if (!isFirst)
      dim.role = DimRole::Group;
    isFirst = false;
  }
}

static bool readsFilter(linalg::LinalgOp op) {
  llvm::SmallVector<OpOperand *> tensors;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()))
      tensors.push_back(input);
  return op.payloadUsesValueFromOperand(tensors[1]);
}

bool diffuse::setWindowRoles(linalg::LinalgOp op, DimRoles &roles) {
  std::optional<WindowMaps> maps = getMaps(op);
  if (!maps || op.hasIndexSemantics())
    return false;
  DimRoles found = roles;
  for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop)
    found.dims[loop].role = getPlainRole(*maps, loop);
  for (AffineExpr expr : maps->input.getResults()) {
    if (isa<AffineDimExpr>(expr))
      continue;
    auto window = getWindow(expr, maps->result);
    if (!window)
      return false;
    found.dims[window->first.loop].role = DimRole::Image;
    found.dims[window->second.loop].role = DimRole::Window;
  }
  if (!hasRole(found, DimRole::Window))
    return false;
  // Strides and dilations in the order of the window loops.
  for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop)
    for (AffineExpr expr : maps->input.getResults()) {
      auto window = getWindow(expr, maps->result);
      if (!window || window->second.loop != loop)
        continue;
      found.strides.push_back(window->first.factor);
      found.dilations.push_back(window->second.factor);
    }
  if (!readsFilter(op)) {
    found.kind = AnchorKind::Pooling;
    renamePoolingChannels(found);
  } else {
    bool sumsChannels = hasRole(found, DimRole::Channel);
    found.kind = sumsChannels || !hasRole(found, DimRole::Group)
                     ? AnchorKind::Convolution
                     : AnchorKind::DepthwiseConvolution;
  }
  roles = found;
  return true;
}
