// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlaceBuffers.h"

#include "Diffuse/Analysis/CheckSizes.h"
#include "Diffuse/Codegen/CodegenOptions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace diffuse;

namespace {
/// An allocation with its size and the interval of operations during which it
/// is in use, both ends included.
struct Buffer {
  Operation *allocation;
  uint64_t bytes;
  unsigned first;
  unsigned last;
  uint64_t offset = 0;
};

/// Numbers the operations of a function in the order of its text.
class Timeline {
public:
  explicit Timeline(func::FuncOp function) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      unsigned number = starts.size();
      starts[op] = ends[op] = number;
      for (Operation *outer = op->getParentOp(); outer && outer != function;
           outer = outer->getParentOp())
        ends[outer] = number;
    });
  }
  unsigned startOf(Operation *op) const { return starts.lookup(op); }
  /// The number of the last operation inside `op`.
  unsigned endOf(Operation *op) const { return ends.lookup(op); }

private:
  llvm::DenseMap<Operation *, unsigned> starts, ends;
};
} // namespace

/// Stack space of one function: more goes to the workspace.
static constexpr uint64_t kMaxStackTotalBytes = 32 << 10;

uint64_t diffuse::elementBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.isScalable() ? 0
                               : llvm::PowerOf2Ceil(vector.getNumElements()) *
                                     elementBytes(vector.getElementType());
  if (!type.isIntOrFloat())
    return 0;
  return llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
}

std::optional<uint64_t> diffuse::placeableBytes(MemRefType type) {
  uint64_t element = elementBytes(type.getElementType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getMemorySpace() || element == 0)
    return std::nullopt;
  uint64_t bytes = element;
  for (int64_t extent : type.getShape())
    if (extent == 0)
      return 0;
  for (int64_t extent : type.getShape())
    bytes = llvm::SaturatingMultiply(bytes, static_cast<uint64_t>(extent));
  return std::min(bytes, kAddressLimit);
}

/// Whether the buffer leaves the region that allocates it: then two trips of a
/// loop may hold two of them at a time.
static bool escapes(Operation *allocation, Operation *user) {
  return user->hasTrait<OpTrait::IsTerminator>() &&
         (isa<func::ReturnOp>(user) ||
          user->getParentRegion() == allocation->getParentRegion());
}

/// Fills in when the buffer is in use; false when it cannot be placed. What is
/// used inside of a loop that does not allocate it is in use until its end.
static bool findLifetime(Buffer &buffer, const Timeline &timeline,
                         const BufferViewFlowAnalysis &flow) {
  buffer.first = buffer.last = timeline.startOf(buffer.allocation);
  for (Value alias : flow.resolve(buffer.allocation->getResult(0)))
    for (Operation *user : alias.getUsers()) {
      Operation *top =
          buffer.allocation->getBlock()->findAncestorOpInBlock(*user);
      if (!top || escapes(buffer.allocation, user))
        return false;
      buffer.last = std::max(buffer.last, timeline.endOf(top));
    }
  return true;
}

/// Gives each buffer the lowest offset at which it meets no other one in both
/// space and time, large ones first. Returns the end of the last, or fails with
/// an error at the buffer that ends too high.
static FailureOr<uint64_t> assignOffsets(MutableArrayRef<Buffer> buffers,
                                         uint64_t base) {
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::stable_sort(order, [](const Buffer *a, const Buffer *b) {
    return a->bytes > b->bytes;
  });
  uint64_t end = base;
  SmallVector<Buffer *> placed; // by offset
  for (Buffer *buffer : order) {
    uint64_t offset = base;
    for (Buffer *other : placed) {
      if (other->last < buffer->first || buffer->last < other->first)
        continue;
      if (offset + buffer->bytes <= other->offset)
        break;
      offset = std::max(offset, llvm::alignTo(other->offset + other->bytes,
                                              kBufferAlignment));
    }
    buffer->offset = offset;
    end = std::max(end, offset + buffer->bytes);
    if (end >= kAddressLimit)
      return buffer->allocation->emitError("temporaries of '")
             << buffer->allocation->getParentOfType<func::FuncOp>().getSymName()
             << "' up to this one, of type "
             << buffer->allocation->getResult(0).getType()
             << ", need more than " << kAddressLimit
             << " bytes, which no process can address";
    placed.insert(llvm::upper_bound(placed, buffer,
                                    [](const Buffer *a, const Buffer *b) {
                                      return a->offset < b->offset;
                                    }),
                  buffer);
  }
  return end;
}

/// The greatest sum of the bytes of buffers that are in use at one time.
static uint64_t greatestSum(ArrayRef<Buffer> buffers) {
  std::map<unsigned, int64_t> changes; // by operation
  for (const Buffer &buffer : buffers) {
    changes[buffer.first] += buffer.bytes;
    changes[buffer.last + 1] -= buffer.bytes;
  }
  int64_t sum = 0, greatest = 0;
  for (auto [operation, change] : changes)
    greatest = std::max(greatest, sum += change);
  return greatest;
}

static void eraseDeallocations(Operation *allocation) {
  for (Operation *user :
       llvm::make_early_inc_range(allocation->getResult(0).getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
}

void diffuse::replaceAllocation(Operation *allocation, Value buffer) {
  eraseDeallocations(allocation);
  allocation->getResult(0).replaceAllUsesWith(buffer);
  allocation->erase();
}

static void moveToStack(const Buffer &buffer, OpBuilder &builder) {
  Operation *allocation = buffer.allocation;
  auto type = cast<MemRefType>(allocation->getResult(0).getType());
  auto stack =
      memref::AllocaOp::create(builder, allocation->getLoc(), type,
                               builder.getI64IntegerAttr(kBufferAlignment));
  replaceAllocation(allocation, stack);
}

static void moveToWorkspace(const Buffer &buffer, Value workspace,
                            OpBuilder &builder) {
  Operation *allocation = buffer.allocation;
  Location loc = allocation->getLoc();
  auto type = cast<MemRefType>(allocation->getResult(0).getType());
  Value offset = arith::ConstantIndexOp::create(builder, loc, buffer.offset);
  auto view = memref::ViewOp::create(builder, loc, type, workspace, offset,
                                     ValueRange());
  replaceAllocation(allocation, view);
}

/// The allocations that can be placed, with lifetimes, in program order.
static SmallVector<Buffer> findBuffers(func::FuncOp function,
                                       Placement &placement) {
  SmallVector<Buffer> buffers;
  Timeline timeline(function);
  BufferViewFlowAnalysis flow(function);
  function.walk([&](Operation *op) {
    if (!isa<memref::AllocOp, memref::AllocaOp>(op))
      return;
    auto bytes = placeableBytes(cast<MemRefType>(op->getResult(0).getType()));
    Buffer buffer{op, bytes.value_or(0), 0, 0};
    if (bytes && findLifetime(buffer, timeline, flow))
      buffers.push_back(buffer);
    else if (isa<memref::AllocOp>(op))
      ++placement.ordinaryBuffers;
  });
  return buffers;
}

FailureOr<Placement> diffuse::placeBuffers(func::FuncOp function,
                                           const PlacementOptions &options) {
  Placement placement;
  SmallVector<Buffer> buffers;
  if (function.getBody().hasOneBlock())
    buffers = findBuffers(function, placement);
  else
    function.walk([&](memref::AllocOp) { ++placement.ordinaryBuffers; });

  uint64_t stackBytes = 0;
  auto onStack = [&](const Buffer &buffer) {
    if (buffer.bytes > options.maxStackBytes ||
        stackBytes + buffer.bytes > kMaxStackTotalBytes)
      return false;
    stackBytes += llvm::alignTo(buffer.bytes, kBufferAlignment);
    return true;
  };
  auto firstLarge =
      std::stable_partition(buffers.begin(), buffers.end(), onStack);
  MutableArrayRef<Buffer> large(firstLarge, buffers.end());
  FailureOr<uint64_t> end = assignOffsets(large, options.reservedBytes);
  if (failed(end))
    return failure();
  placement.workspaceBytes = *end;
  placement.liveBytes = options.reservedBytes + greatestSum(large);

  OpBuilder builder(function.getContext());
  auto type = MemRefType::get({static_cast<int64_t>(placement.workspaceBytes)},
                              builder.getI8Type());
  (void)function.insertArgument(function.getNumArguments(), type, {},
                                function.getLoc());
  Value workspace = function.getArguments().back();
  // The first operation may be an allocation that goes.
  for (const Buffer &buffer : llvm::make_range(buffers.begin(), firstLarge)) {
    builder.setInsertionPointToStart(&function.front());
    moveToStack(buffer, builder);
  }
  for (const Buffer &buffer : large) {
    builder.setInsertionPointToStart(&function.front());
    moveToWorkspace(buffer, workspace, builder);
  }
  return placement;
}
