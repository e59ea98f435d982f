// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for one argument with walls around it: pages that no one may touch on
// both sides, and bytes of a known pattern where a wall cannot stand.

#ifndef DIFFUSE_LIB_MEASURE_GUARDEDBUFFER_H
#define DIFFUSE_LIB_MEASURE_GUARDEDBUFFER_H

#include "llvm/Support/Error.h"

#include <cstdint>

namespace diffuse {

/// wall | red zone | data | red zone of less than 64 bytes | wall
///
/// The data starts at a multiple of 64 bytes, as in the arena of a whole model,
/// and ends as near to a wall as that allows.
class GuardedBuffer {
public:
  /// Fails where the system has no memory.
  static llvm::Expected<GuardedBuffer> allocate(uint64_t bytes);
  GuardedBuffer() = default;
  GuardedBuffer(GuardedBuffer &&other) noexcept { swap(other); }
  GuardedBuffer &operator=(GuardedBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~GuardedBuffer();

  char *data() const { return start; }
  uint64_t size() const { return bytes; }

  void forbidWrites();
  /// Whether a forked child gets the memory too. Copying the tables of a large
  /// buffer at each fork takes milliseconds.
  void setInherited(bool isInherited);
  void fillRedZones();
  /// Whether the red zones hold what fillRedZones wrote.
  bool redZonesAreIntact() const;

  enum class Place { Elsewhere, Inside, Before, After };
  /// Where an address lies; `distance` is to the data, 0 inside.
  Place locate(uintptr_t address, uint64_t &distance) const;

private:
  void swap(GuardedBuffer &other);

  char *mapping = nullptr;
  uint64_t mappedBytes = 0;
  char *start = nullptr;
  uint64_t bytes = 0;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_MEASURE_GUARDEDBUFFER_H
