// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockMovements.h"

using namespace diffuse;
using namespace mlir;

/// What `pad` fills in, as a value from outside its region, or null.
static Value getFill(OpBuilder &builder, tensor::PadOp pad) {
  Value fill = pad.getConstantPaddingValue();
  Operation *producer = fill ? fill.getDefiningOp() : nullptr;
  if (!producer || !pad->isProperAncestor(producer))
    return fill;
  builder.setInsertionPoint(pad);
  return builder.clone(*producer)->getResult(0);
}

static bool padsChannels(tensor::PadOp pad) {
  return pad.getStaticLow()[kChannelDim] != 0 ||
         pad.getStaticHigh()[kChannelDim] != 0;
}

Value diffuse::padBlocks(RewriterBase &rewriter, BlockedTensors &tensors,
                         tensor::PadOp pad) {
  int64_t block = tensors.blockOf(pad.getSource());
  if (!block || padsChannels(pad) || !pad.getLow().empty() ||
      !pad.getHigh().empty())
    return nullptr;
  Value fill = getFill(rewriter, pad);
  if (!fill)
    return nullptr;
  auto bounds = [&](ArrayRef<int64_t> plain) {
    llvm::SmallVector<OpFoldResult> sizes;
    for (int64_t size : plain)
      sizes.push_back(rewriter.getIndexAttr(size));
    sizes.push_back(rewriter.getIndexAttr(0));
    return sizes;
  };
  DimBlock form{kChannelDim, block};
  Value source = tensors.get(pad.getSource(), form);
  rewriter.setInsertionPoint(pad);
  return tensor::PadOp::create(
      rewriter, pad.getLoc(), getBlockedType(pad.getResultType(), form), source,
      bounds(pad.getStaticLow()), bounds(pad.getStaticHigh()), fill,
      pad.getNofold());
}

Value diffuse::concatBlocks(RewriterBase &rewriter, BlockedTensors &tensors,
                            tensor::ConcatOp concat) {
  int64_t block = tensors.blockOf(concat.getInputs().front());
  bool agree = llvm::all_of(concat.getInputs(), [&](Value input) {
    return tensors.blockOf(input) == block;
  });
  if (!block || !agree || concat.getDim() != kChannelDim)
    return nullptr;
  DimBlock form{kChannelDim, block};
  llvm::SmallVector<Value> inputs;
  for (Value input : concat.getInputs())
    inputs.push_back(tensors.get(input, form));
  rewriter.setInsertionPoint(concat);
  auto type = cast<RankedTensorType>(concat.getType());
  return tensor::ConcatOp::create(rewriter, concat.getLoc(),
                                  getBlockedType(type, form), concat.getDim(),
                                  inputs);
}
