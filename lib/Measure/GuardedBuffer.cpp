// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walls are pages without access rather than checks in the code, since the code
// that is measured must be the code that ships.

#include "GuardedBuffer.h"

#include "Diffuse/Support/Errors.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace diffuse;

/// Wide enough that a stride past the end of a row does not jump over it.
static constexpr uint64_t kWallBytes = 64 << 10;
static constexpr unsigned char kRedZone = 0xcb;

llvm::Expected<GuardedBuffer> GuardedBuffer::allocate(uint64_t bytes) {
  uint64_t page = ::sysconf(_SC_PAGESIZE);
  uint64_t inner = llvm::alignTo(std::max<uint64_t>(bytes, 1), page);
  GuardedBuffer buffer;
  buffer.mappedBytes = inner + 2 * kWallBytes;
  void *mapping = ::mmap(nullptr, buffer.mappedBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return makeSystemError("cannot allocate " + llvm::Twine(bytes) + " bytes",
                           errno);
  buffer.mapping = static_cast<char *>(mapping);
  char *first = buffer.mapping + kWallBytes;
  if (::mprotect(first, inner, PROT_READ | PROT_WRITE) != 0)
    return makeSystemError("cannot allocate " + llvm::Twine(bytes) + " bytes",
                           errno);
  buffer.start = first + inner - llvm::alignTo(bytes, 64);
  buffer.bytes = bytes;
  return buffer;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping)
    ::munmap(mapping, mappedBytes);
}

void GuardedBuffer::swap(GuardedBuffer &other) {
  std::swap(mapping, other.mapping);
  std::swap(mappedBytes, other.mappedBytes);
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
}

void GuardedBuffer::forbidWrites() {
  ::mprotect(mapping + kWallBytes, mappedBytes - 2 * kWallBytes, PROT_READ);
}

void GuardedBuffer::setInherited(bool isInherited) {
  if (mapping)
    ::madvise(mapping, mappedBytes, isInherited ? MADV_DOFORK : MADV_DONTFORK);
}

void GuardedBuffer::fillRedZones() {
  char *first = mapping + kWallBytes;
  char *last = mapping + mappedBytes - kWallBytes;
  std::memset(first, kRedZone, start - first);
  std::memset(start + bytes, kRedZone, last - (start + bytes));
}

bool GuardedBuffer::redZonesAreIntact() const {
  const char *first = mapping + kWallBytes;
  const char *last = mapping + mappedBytes - kWallBytes;
  auto isRed = [](char byte) {
    return static_cast<unsigned char>(byte) == kRedZone;
  };
  return std::all_of(first, static_cast<const char *>(start), isRed) &&
         std::all_of(static_cast<const char *>(start) + bytes, last, isRed);
}

GuardedBuffer::Place GuardedBuffer::locate(uintptr_t address,
                                           uint64_t &distance) const {
  auto low = reinterpret_cast<uintptr_t>(mapping);
  auto data = reinterpret_cast<uintptr_t>(start);
  distance = 0;
  if (!mapping || address < low || address >= low + mappedBytes)
    return Place::Elsewhere;
  if (address < data) {
    distance = data - address;
    return Place::Before;
  }
  if (address < data + bytes)
    return Place::Inside;
  distance = address - (data + bytes);
  return Place::After;
}
