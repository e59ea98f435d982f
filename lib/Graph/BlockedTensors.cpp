// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockedTensors.h"

#include "CutLoops.h"
#include "OpKinds.h"
#include "TensorTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

RankedTensorType diffuse::getBlockedType(RankedTensorType plain,
                                         ArrayRef<DimBlock> blocks) {
  llvm::SmallVector<int64_t> shape(plain.getShape());
  for (const DimBlock &block : blocks) {
    shape[block.dim] /= block.size;
    shape.push_back(block.size);
  }
  return RankedTensorType::get(shape, plain.getElementType());
}

int64_t diffuse::chooseBlock(const TargetDescription &target, unsigned bits,
                             int64_t extent) {
  int64_t lanes = target.lanes(bits);
  for (int64_t block : {2 * lanes, lanes, lanes / 2})
    if (block > 1 && extent % block == 0)
      return block;
  return 0;
}

/// Each dimension alone, `count` of them from `first` on as one.
static llvm::SmallVector<ReassociationIndices>
groupDims(unsigned rank, unsigned first, unsigned count) {
  llvm::SmallVector<ReassociationIndices> groups;
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (dim <= first || dim >= first + count)
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  return groups;
}

Value diffuse::expandDim(OpBuilder &builder, Value value, unsigned dim,
                         int64_t block) {
  RankedTensorType type = getType(value);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= block;
  shape.insert(shape.begin() + dim + 1, block);
  return tensor::ExpandShapeOp::create(
      builder, value.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), value,
      groupDims(shape.size(), dim, 2));
}

Value diffuse::collapseDim(OpBuilder &builder, Value value, unsigned dim) {
  return tensor::CollapseShapeOp::create(
      builder, value.getLoc(), value,
      groupDims(getType(value).getRank(), dim, 2));
}

bool diffuse::isInnermost(RankedTensorType type, unsigned dim) {
  return llvm::all_of(type.getShape().drop_front(dim + 1),
                      [](int64_t extent) { return extent == 1; });
}

/// A reshape between two types of the same elements in the same order that
/// agree in the dimensions before `dim`: through one dimension for the rest.
static Value reshapeFrom(OpBuilder &builder, Value value, unsigned dim,
                         RankedTensorType result) {
  RankedTensorType type = getType(value);
  Location loc = value.getLoc();
  unsigned rest = type.getRank() - dim;
  if (rest > 1)
    value = tensor::CollapseShapeOp::create(
        builder, loc, value, groupDims(type.getRank(), dim, rest));
  rest = result.getRank() - dim;
  if (rest > 1)
    value = tensor::ExpandShapeOp::create(
        builder, loc, result, value, groupDims(result.getRank(), dim, rest));
  return value;
}

void BlockedTensors::record(Value plain, Value blocked) {
  recorded[plain] = blocked;
  made[plain].push_back({{{kChannelDim, blockOf(plain)}}, blocked});
}

int64_t BlockedTensors::blockOf(Value plain) const {
  Value blocked = recorded.lookup(plain);
  return blocked ? getType(blocked).getShape().back() : 0;
}

Value BlockedTensors::find(Value plain, ArrayRef<DimBlock> blocks) const {
  auto forms = made.find(plain);
  if (forms == made.end())
    return nullptr;
  for (const Form &form : forms->second)
    if (ArrayRef(form.blocks) == blocks)
      return form.value;
  return nullptr;
}

Value BlockedTensors::get(Value plain, ArrayRef<DimBlock> blocks) {
  if (Value known = find(plain, blocks))
    return known;
  Value fresh = make(plain, blocks);
  made[plain].push_back({llvm::SmallVector<DimBlock, 2>(blocks), fresh});
  return fresh;
}

Value BlockedTensors::getUnread(Value plain, ArrayRef<DimBlock> blocks) {
  if (plain.getDefiningOp<tensor::EmptyOp>())
    return get(plain, blocks);
  rewriter.setInsertionPointAfterValue(plain);
  return tensor::EmptyOp::create(rewriter, plain.getLoc(),
                                 getBlockedType(getType(plain), blocks),
                                 ValueRange());
}

/// A fill or broadcast of another shape costs nothing; null for other ops.
Value BlockedTensors::makeFromInit(Operation *init, DimBlock block) {
  auto op = cast<linalg::LinalgOp>(init);
  if (!canCutLoops(op) || readsInit(op, *op.getDpsInitOperand(0)))
    return nullptr;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned loop = cast<AffineDimExpr>(map.getResult(block.dim)).getPosition();
  LoopCut cut{loop, block.size};
  auto dimCuts = findSingleCuts(op, cut, CutForm::Last);
  if (failed(dimCuts))
    return nullptr;
  llvm::SmallVector<Value> operands;
  for (auto [operand, cuts] :
       llvm::zip_equal(init->getOpOperands(), *dimCuts)) {
    Value value = operand.get();
    for (const DimCut &found : cuts) {
      DimBlock form{found.dim, block.size};
      value =
          op.isDpsInit(&operand) ? getUnread(value, form) : get(value, form);
    }
    operands.push_back(value);
  }
  rewriter.setInsertionPointAfter(init);
  if (auto fill = dyn_cast<linalg::FillOp>(init))
    return linalg::FillOp::create(rewriter, init->getLoc(), fill.value(),
                                  operands.back())
        .getResult(0);
  return cutLoops(rewriter, op, cut, *dimCuts, operands).getResult(0);
}

Value BlockedTensors::make(Value plain, ArrayRef<DimBlock> blocks) {
  RankedTensorType type = getType(plain);
  RankedTensorType result = getBlockedType(type, blocks);
  Location loc = plain.getLoc();
  Operation *producer = plain.getDefiningOp();
  rewriter.setInsertionPointAfterValue(plain);
  if (isa_and_nonnull<tensor::EmptyOp>(producer))
    return tensor::EmptyOp::create(rewriter, loc, result, ValueRange());
  bool isOne = blocks.size() == 1;
  if (isOne && producer && isCheapInit(producer))
    if (Value repeated = makeFromInit(producer, blocks.front()))
      return repeated;
  rewriter.setInsertionPointAfterValue(plain);
  if (isOne && isInnermost(type, blocks.front().dim))
    return reshapeFrom(rewriter, plain, blocks.front().dim, result);
  Value source = recorded.contains(plain) ? toPlain(plain) : plain;
  rewriter.setInsertionPointAfterValue(source);
  Value empty = tensor::EmptyOp::create(rewriter, loc, result, ValueRange());
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<OpFoldResult> sizes;
  for (const DimBlock &block : blocks) {
    dims.push_back(block.dim);
    sizes.push_back(rewriter.getIndexAttr(block.size));
  }
  return linalg::PackOp::create(rewriter, loc, source, empty, dims, sizes)
      .getResult();
}

Value BlockedTensors::toPlain(Value plain) {
  if (Value known = find(plain, {}))
    return known;
  Value blocked = recorded.lookup(plain);
  RankedTensorType type = getType(plain);
  rewriter.setInsertionPointAfterValue(blocked);
  Value result;
  if (isInnermost(type, kChannelDim)) {
    result = reshapeFrom(rewriter, blocked, kChannelDim, type);
  } else {
    Location loc = plain.getLoc();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
    int64_t dim = kChannelDim;
    OpFoldResult size = rewriter.getIndexAttr(blockOf(plain));
    result = linalg::UnPackOp::create(rewriter, loc, blocked, empty, dim, size)
                 .getResult();
  }
  made[plain].push_back({{}, result});
  return result;
}

static uint64_t countBytes(Value tensor) {
  RankedTensorType type = getType(tensor);
  return llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(),
                          8);
}

uint64_t BlockedTensors::unpackedBytes(Value plain) const {
  return blockOf(plain) && !isInnermost(getType(plain), kChannelDim)
             ? countBytes(plain)
             : 0;
}

uint64_t BlockedTensors::packedBytes(Value plain) const {
  auto forms = made.find(plain);
  if (forms == made.end() || parameters.contains(plain))
    return 0;
  uint64_t bytes = 0;
  for (const Form &form : forms->second)
    if (form.value.getDefiningOp<linalg::PackOp>())
      bytes += countBytes(plain);
  return bytes;
}
