// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TransposeBlocks.h"

#include "ParameterValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <numeric>

using namespace diffuse;
using namespace mlir;

namespace {
/// A plain tensor as blocks * size * inner elements, of which `size` are the
/// elements of a block.
struct BlockShape {
  int64_t blocks, size, inner;
};

using Extents = std::array<int64_t, 3>;
} // namespace

/// Of a pack or unpack between `plain` and `packed`, or nothing where that is
/// more than a transpose of blocks.
template <typename OpType>
static std::optional<BlockShape>
findBlockShape(OpType op, RankedTensorType plain, RankedTensorType packed) {
  if (!plain.hasStaticShape() || !packed.hasStaticShape() ||
      plain.getNumElements() != packed.getNumElements() ||
      plain.getNumElements() == 0 || op.getInnerDimsPos().size() != 1 ||
      !llvm::equal(op.getOuterDimsPerm(),
                   llvm::seq<int64_t>(op.getOuterDimsPerm().size())))
    return std::nullopt;
  unsigned dim = op.getInnerDimsPos().front();
  auto product = [](ArrayRef<int64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                           std::multiplies<int64_t>());
  };
  ArrayRef<int64_t> extents = packed.getShape();
  return BlockShape{product(extents.take_front(dim + 1)), extents.back(),
                    product(extents.drop_front(dim + 1).drop_back())};
}

static Value reshape(OpBuilder &builder, Location loc, Value value,
                     RankedTensorType type) {
  auto flatten = [](RankedTensorType type) {
    llvm::SmallVector<ReassociationIndices> all(1);
    llvm::append_range(all.front(), llvm::seq<int64_t>(type.getRank()));
    return all;
  };
  auto from = cast<RankedTensorType>(value.getType());
  value = tensor::CollapseShapeOp::create(builder, loc, value, flatten(from));
  return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                       flatten(type));
}

/// Replaces `op`, which swaps the last two of three dimensions.
static void replaceByTranspose(RewriterBase &rewriter, Operation *op,
                               ArrayRef<int64_t> from) {
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  Type element = result.getElementType();
  Value source = reshape(rewriter, loc, op->getOperand(0),
                         RankedTensorType::get(from, element));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, ArrayRef<int64_t>{from[0], from[2], from[1]}, element);
  Value turned = linalg::TransposeOp::create(rewriter, loc, source, empty,
                                             ArrayRef<int64_t>{0, 2, 1})
                     ->getResult(0);
  rewriter.replaceOp(op, reshape(rewriter, loc, turned, result));
}

/// The extents that `op` transposes the last two of, where it does nothing
/// else.
static std::optional<Extents> findTransposed(Operation *op) {
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    if (auto shape =
            findBlockShape(pack, pack.getSourceType(), pack.getDestType()))
      return Extents{shape->blocks, shape->size, shape->inner};
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    if (auto shape = findBlockShape(unpack, unpack.getDestType(),
                                    unpack.getSourceType()))
      return Extents{shape->blocks, shape->inner, shape->size};
  return std::nullopt;
}

void diffuse::transposeBlocks(func::FuncOp function) {
  SymbolTableCollection symbols;
  ParameterValues parameters(symbols);
  llvm::SmallVector<std::pair<Operation *, Extents>> found;
  function.walk([&](Operation *op) {
    if (auto extents = findTransposed(op);
        extents && !parameters.contains(op->getOperand(0)))
      found.push_back({op, *extents});
  });
  IRRewriter rewriter(function.getContext());
  for (auto [op, extents] : found)
    replaceByTranspose(rewriter, op, extents);
}
