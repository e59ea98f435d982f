// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of one call in memory, filled from a seed.

#ifndef DIFFUSE_LIB_MEASURE_RUNBUFFERS_H
#define DIFFUSE_LIB_MEASURE_RUNBUFFERS_H

#include "Diffuse/Measure/Measurer.h"
#include "GuardedBuffer.h"

#include <memory>

namespace diffuse {

/// Made in the process that forks and used by its children, which share what
/// they only read. Inputs and parameters cannot be written to; destinations
/// are untouched, so that each child has fresh ones.
class RunBuffers {
public:
  /// Fails on boundaries that cannot be filled and where memory lacks.
  static llvm::Expected<std::unique_ptr<RunBuffers>>
  create(const MeasureRequest &request);

  /// Whether these are what create(request) would make.
  bool serve(const MeasureRequest &request) const;

  /// Bytes of all buffers.
  uint64_t byteCount() const;
  /// Whether children that are forked from now on can use these.
  void setInherited(bool isInherited);

  /// The boundary with all extents known, and its memory; arguments that are
  /// scalars have none.
  llvm::ArrayRef<BoundaryArgument> arguments() const { return boundary; }
  const GuardedBuffer &bufferOf(unsigned argument) const {
    return memory[argument];
  }
  std::vector<unsigned> destinations() const;

  /// Parameters lie in so many copies. The pointers of a call that uses one.
  uint64_t copies() const { return copyCount; }
  void *const *pointers(uint64_t copy) const {
    return pointerTable.data() + copy * pointersPerCall;
  }
  const int64_t *slots() const { return slotValues.data(); }

  /// Fills destinations with bytes that no answer holds by chance, and the red
  /// zones around them.
  void clearDestinations();
  /// Names a destination that was written around, or nothing.
  std::string findDamage() const;

private:
  RunBuffers() = default;
  llvm::Error allocate(uint64_t seed);
  llvm::Error fillParameter(unsigned argument, uint64_t seed);
  llvm::Error makeSlots(const MeasureRequest &request);
  void makePointers();

  StableHash digest;
  std::vector<BoundaryArgument> boundary;
  std::vector<uint64_t> sizes;
  std::vector<GuardedBuffer> memory;
  uint64_t copyCount = 1;
  unsigned pointersPerCall = 0;
  std::vector<void *> pointerTable;
  std::vector<int64_t> slotValues;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_MEASURE_RUNBUFFERS_H
