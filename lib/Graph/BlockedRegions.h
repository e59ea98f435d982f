// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_GRAPH_BLOCKEDREGIONS_H
#define DIFFUSE_LIB_GRAPH_BLOCKEDREGIONS_H

#include "BlockedTensors.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace diffuse {

/// Ops that have a blocked form and pass it on to one another: they keep it all
/// or none.
struct BlockedRegion {
  llvm::SmallVector<mlir::Operation *> ops;
  /// Arithmetic ops of one run.
  double flops = 0;
  /// What packs and unpacks at its edges move in each run.
  double movedBytes = 0;

  /// Whether the time that convolutions save exceeds that of what is moved.
  bool pays(const TargetDescription &target) const;
};

/// Parts `replaced`, the ops that have a blocked form among `tensors`, into
/// regions, in order of their first ops.
llvm::SmallVector<BlockedRegion>
findBlockedRegions(const llvm::SetVector<mlir::Operation *> &replaced,
                   const BlockedTensors &tensors);

/// Whether `use`, of a value that has a blocked form, reads the plain one.
inline bool readsPlain(const mlir::OpOperand &use,
                       const llvm::SetVector<mlir::Operation *> &replaced) {
  return !replaced.contains(use.getOwner());
}

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_BLOCKEDREGIONS_H
