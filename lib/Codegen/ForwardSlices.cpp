// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ForwardSlices.h"

#include "PlaceBuffers.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace diffuse;

namespace {
/// Bytes of an allocation, from `begin` to before `end`.
struct ByteRange {
  uint64_t begin, end;
  uint64_t size() const { return end - begin; }
  bool contains(ByteRange other) const {
    return begin <= other.begin && other.end <= end;
  }
  bool overlaps(ByteRange other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Where in which allocation a view lies.
struct Place {
  memref::AllocOp allocation;
  ByteRange range;
};

/// A copy of `part` of `source` to the bytes `range` of `whole`.
struct SliceCopy {
  memref::CopyOp copy;
  memref::AllocOp source, whole;
  ByteRange part, range;
};

/// Forwards within the first block of one function.
class SliceForwarding {
public:
  explicit SliceForwarding(func::FuncOp function)
      : block(function.front()), module(function->getParentOfType<ModuleOp>()) {
  }

  void run();

private:
  std::optional<Place> find(Value buffer) const;
  std::optional<SliceCopy> match(memref::CopyOp copy) const;
  /// Who does anything else may write, or hand the buffer on under another
  /// name.
  enum class Access { Read, Write, Unknown };

  Access accessOf(OpOperand &use);
  bool isWritten(Value buffer, ByteRange extent, const SliceCopy &slice);
  bool isInPart(Value buffer, ByteRange extent, const SliceCopy &slice);
  bool isWrittenAfter(Value buffer, memref::CopyOp copy);
  memref::AllocOp makeBytes(memref::AllocOp allocation);
  void forward(SliceCopy slice);

  Block &block;
  ModuleOp module;
};
} // namespace

static uint64_t bytesOf(MemRefType type) {
  return placeableBytes(type).value_or(0);
}

static bool isView(Operation *op) {
  return isa<memref::ViewOp, memref::SubViewOp, memref::ExpandShapeOp,
             memref::CollapseShapeOp, memref::CastOp>(op);
}

/// Where the bytes of a view lie, those of its source being `source`; all of
/// `source` where that is not known.
static ByteRange rangeOf(Operation *view, ByteRange source) {
  if (auto bytes = dyn_cast<memref::ViewOp>(view)) {
    std::optional<int64_t> shift = getConstantIntValue(bytes.getByteShift());
    if (!shift || !bytes.getType().hasStaticShape())
      return source;
    uint64_t begin = source.begin + *shift;
    return {begin, begin + bytesOf(bytes.getType())};
  }
  auto slice = dyn_cast<memref::SubViewOp>(view);
  if (!slice || !memref::isStaticShapeAndContiguousRowMajor(slice.getType()))
    return source;
  auto [strides, offset] = slice.getType().getStridesAndOffset();
  auto [sourceStrides, sourceOffset] =
      slice.getSourceType().getStridesAndOffset();
  if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(sourceOffset))
    return source;
  uint64_t element = elementBytes(slice.getType().getElementType());
  uint64_t begin = source.begin + (offset - sourceOffset) * element;
  return {begin, begin + slice.getType().getNumElements() * element};
}

std::optional<Place> SliceForwarding::find(Value buffer) const {
  Operation *op = buffer.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto allocation = dyn_cast<memref::AllocOp>(op)) {
    uint64_t bytes = bytesOf(allocation.getType());
    if (op->getBlock() != &block || bytes == 0)
      return std::nullopt;
    return Place{allocation, {0, bytes}};
  }
  if (!isView(op))
    return std::nullopt;
  std::optional<Place> place = find(op->getOperand(0));
  if (place)
    place->range = rangeOf(op, place->range);
  return place;
}

std::optional<SliceCopy> SliceForwarding::match(memref::CopyOp copy) const {
  auto type = cast<MemRefType>(copy.getSource().getType());
  auto targetType = cast<MemRefType>(copy.getTarget().getType());
  if (copy->getBlock() != &block ||
      !memref::isStaticShapeAndContiguousRowMajor(type) ||
      !memref::isStaticShapeAndContiguousRowMajor(targetType))
    return std::nullopt;
  std::optional<Place> from = find(copy.getSource());
  std::optional<Place> to = find(copy.getTarget());
  if (!from || !to || from->allocation == to->allocation)
    return std::nullopt;
  // A range that is not known is larger than what is copied.
  uint64_t copied = type.getNumElements() * elementBytes(type.getElementType());
  if (from->range.size() != copied || to->range.size() != copied ||
      to->range.begin < from->range.begin)
    return std::nullopt;
  uint64_t shift = to->range.begin - from->range.begin;
  if (shift + bytesOf(from->allocation.getType()) >
      bytesOf(to->allocation.getType()))
    return std::nullopt;
  return SliceCopy{copy, from->allocation, to->allocation, from->range,
                   to->range};
}

/// What `use`, which is not by a view, does with the buffer.
SliceForwarding::Access SliceForwarding::accessOf(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<memref::DeallocOp>(user))
    return Access::Read;
  if (auto copy = dyn_cast<memref::CopyOp>(user))
    return copy.getTarget() == use.get() ? Access::Write : Access::Read;
  auto call = dyn_cast<func::CallOp>(user);
  auto callee = call ? module.lookupSymbol<func::FuncOp>(call.getCallee())
                     : func::FuncOp();
  if (!callee || !callee->hasAttr(kSubgraphAttr))
    return Access::Unknown;
  return isDestination(callee, use.getOperandNumber()) ? Access::Write
                                                       : Access::Read;
}

/// Whether others than the copy of `slice` may write its bytes through
/// `buffer`, which is `extent` of the whole.
bool SliceForwarding::isWritten(Value buffer, ByteRange extent,
                                const SliceCopy &slice) {
  return llvm::any_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isView(user))
      return isWritten(user->getResult(0), rangeOf(user, extent), slice);
    Access access = accessOf(use);
    return access == Access::Unknown ||
           (access == Access::Write && user != slice.copy &&
            extent.overlaps(slice.range));
  });
}

/// Whether what is not copied of the source is not used at all. Where an inner
/// concatenation was given the memory of an outer one that found memory
/// elsewhere, so it is.
bool SliceForwarding::isInPart(Value buffer, ByteRange extent,
                               const SliceCopy &slice) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    return isView(user)
               ? isInPart(user->getResult(0), rangeOf(user, extent), slice)
               : slice.part.contains(extent) || isa<memref::DeallocOp>(user);
  });
}

bool SliceForwarding::isWrittenAfter(Value buffer, memref::CopyOp copy) {
  return llvm::any_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isView(user))
      return isWrittenAfter(user->getResult(0), copy);
    Access access = accessOf(use);
    return access == Access::Unknown ||
           (access == Access::Write &&
            !block.findAncestorOpInBlock(*user)->isBeforeInBlock(copy));
  });
}

/// The same memory as an allocation of bytes.
memref::AllocOp SliceForwarding::makeBytes(memref::AllocOp allocation) {
  MemRefType type = allocation.getType();
  OpBuilder builder(allocation);
  if (type.getRank() == 1 && type.getElementType().isInteger(8))
    return allocation;
  Location loc = allocation.getLoc();
  auto bytes = memref::AllocOp::create(
      builder, loc,
      MemRefType::get({static_cast<int64_t>(bytesOf(type))},
                      builder.getI8Type()),
      ValueRange(), builder.getI64IntegerAttr(kBufferAlignment));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value view =
      memref::ViewOp::create(builder, loc, type, bytes, zero, ValueRange());
  replaceAllocation(allocation, view);
  return bytes;
}

void SliceForwarding::forward(SliceCopy slice) {
  memref::AllocOp bytes = makeBytes(slice.whole);
  memref::AllocOp source = slice.source;
  if (!bytes->isBeforeInBlock(source))
    bytes->moveBefore(source);
  OpBuilder builder(source);
  Location loc = source.getLoc();
  Value shift = arith::ConstantIndexOp::create(
      builder, loc, slice.range.begin - slice.part.begin);
  Value view = memref::ViewOp::create(builder, loc, source.getType(), bytes,
                                      shift, ValueRange());
  slice.copy.erase();
  replaceAllocation(source, view);
}

void SliceForwarding::run() {
  SmallVector<memref::CopyOp> copies(block.getOps<memref::CopyOp>());
  for (memref::CopyOp copy : copies) {
    std::optional<SliceCopy> slice = match(copy);
    if (!slice)
      continue;
    ByteRange whole = {0, bytesOf(slice->whole.getType())};
    ByteRange source = {0, bytesOf(slice->source.getType())};
    if (isInPart(slice->source, source, *slice) &&
        !isWrittenAfter(slice->source, copy) &&
        !isWritten(slice->whole, whole, *slice))
      forward(*slice);
  }
}

void diffuse::forwardSlices(func::FuncOp function) {
  if (function.getBody().hasOneBlock())
    SliceForwarding(function).run();
}
