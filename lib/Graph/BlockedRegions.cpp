// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockedRegions.h"

#include "Diffuse/Analysis/Work.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace diffuse;
using namespace mlir;

/// Flops for each byte moved and each lane of f32 from which on blocks pay.
/// With 8 and 16 lanes, a convolution of one core saves about a tenth of its
/// time by blocks, that is one flop in 100 to 150 ns * 10, and transposing a
/// block takes 1 ns for about 12 bytes. Single convolutions break even between
/// 64 (1x1) and 144 (3x3) flops a byte with 16 lanes.
static constexpr double kMinFlopsPerByteAndLane = 8;

bool BlockedRegion::pays(const TargetDescription &target) const {
  return flops >= kMinFlopsPerByteAndLane * target.lanes(32) * movedBytes;
}

/// Of the plain form that the result of `op` needs, and of operands that are
/// packed for it.
static double countMovedBytes(Operation *op,
                              const llvm::SetVector<Operation *> &replaced,
                              const BlockedTensors &tensors) {
  double bytes = 0;
  Value result = op->getResult(0);
  if (llvm::any_of(result.getUses(),
                   [&](OpOperand &use) { return readsPlain(use, replaced); }))
    bytes += tensors.unpackedBytes(result);
  for (Value operand : op->getOperands())
    bytes += tensors.packedBytes(operand);
  return bytes;
}

llvm::SmallVector<BlockedRegion>
diffuse::findBlockedRegions(const llvm::SetVector<Operation *> &replaced,
                            const BlockedTensors &tensors) {
  llvm::EquivalenceClasses<const Operation *> together;
  for (Operation *op : replaced) {
    together.insert(op);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && replaced.contains(producer) && tensors.blockOf(operand))
        together.unionSets(op, producer);
  }
  llvm::MapVector<const Operation *, BlockedRegion> regions; // by leader
  for (Operation *op : replaced) {
    BlockedRegion &region = regions[together.getLeaderValue(op)];
    region.ops.push_back(op);
    region.flops += countFlops(op);
    region.movedBytes += countMovedBytes(op, replaced, tensors);
  }
  llvm::SmallVector<BlockedRegion> found;
  for (auto &[leader, region] : regions)
    found.push_back(std::move(region));
  return found;
}
