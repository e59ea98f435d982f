// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockInsertions.h"

#include "BlockedTensors.h"

using namespace diffuse;
using namespace mlir;

llvm::SmallVector<tensor::InsertSliceOp>
diffuse::collectInsertions(tensor::InsertSliceOp last) {
  llvm::SmallVector<tensor::InsertSliceOp> chain{last};
  while (auto before =
             chain.back().getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if (!before->hasOneUse())
      break;
    chain.push_back(before);
  }
  return llvm::to_vector(llvm::reverse(chain));
}

bool diffuse::isContinued(tensor::InsertSliceOp op) {
  if (!op->hasOneUse())
    return false;
  auto next = dyn_cast<tensor::InsertSliceOp>(*op->getUsers().begin());
  return next && next.getDest() == op.getResult();
}

bool diffuse::insertsBlocks(tensor::InsertSliceOp op, int64_t block) {
  return op.getSourceType().getRank() == op.getDestType().getRank() &&
         op.hasUnitStride() && op.getOffsets().empty() &&
         op.getSizes().empty() &&
         op.getStaticOffsets()[kChannelDim] % block == 0;
}

Value diffuse::insertBlocks(OpBuilder &builder, tensor::InsertSliceOp plain,
                            Value source, Value dest, int64_t block) {
  auto cut = [&](ArrayRef<int64_t> numbers, int64_t inner) {
    llvm::SmallVector<OpFoldResult> parts;
    for (auto [dim, number] : llvm::enumerate(numbers))
      parts.push_back(
          builder.getIndexAttr(dim == kChannelDim ? number / block : number));
    parts.push_back(builder.getIndexAttr(inner));
    return parts;
  };
  auto offsets = cut(plain.getStaticOffsets(), 0);
  llvm::SmallVector<OpFoldResult> strides(offsets.size(),
                                          builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(
      builder, plain.getLoc(), source, dest, offsets,
      cut(plain.getStaticSizes(), block), strides);
}
