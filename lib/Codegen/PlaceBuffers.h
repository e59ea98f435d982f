// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the temporaries of a function live. Buffers of static size get an
// offset in one workspace, and two whose lifetimes do not meet share memory;
// small ones go to the stack. A buffer from outside that a loop uses lives as
// long as the loop, one that a trip allocates no longer than the trip.

#ifndef DIFFUSE_LIB_CODEGEN_PLACEBUFFERS_H
#define DIFFUSE_LIB_CODEGEN_PLACEBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace diffuse {

struct PlacementOptions {
  /// Buffers up to this size go to the stack.
  uint64_t maxStackBytes = 0;
  /// Bytes at the start of the workspace that are not for buffers.
  uint64_t reservedBytes = 0;
};

struct Placement {
  /// Size of the workspace, including the reserved bytes.
  uint64_t workspaceBytes = 0;
  /// The reserved bytes and the greatest sum of buffers in use at one time:
  /// no placement needs fewer.
  uint64_t liveBytes = 0;
  /// Allocations that stay: of dynamic size, or escaping their loop.
  unsigned ordinaryBuffers = 0;
};

/// Bytes that one element takes in a buffer, or 0 for a type that buffers
/// cannot hold.
uint64_t elementBytes(mlir::Type type);

/// Bytes of a row-major buffer of static extents, kAddressLimit at most;
/// nothing for one that cannot be placed.
std::optional<uint64_t> placeableBytes(mlir::MemRefType type);

/// Lets `buffer` take the place of an allocation, whose deallocations go too.
void replaceAllocation(mlir::Operation *allocation, mlir::Value buffer);

/// Places the allocations of `function` and appends the workspace, a
/// `memref<workspaceBytes x i8>`, to its arguments. Functions with unstructured
/// control flow keep their allocations. Fails, with an error at the allocation
/// emitted and `function` as it was, where they exceed kAddressLimit.
mlir::FailureOr<Placement> placeBuffers(mlir::func::FuncOp function,
                                        const PlacementOptions &options);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_PLACEBUFFERS_H
