// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters are cold in a network: between two uses all the others pass
// through the caches. Calls therefore go round copies that together exceed
// twice the last level. Inputs are as their producer left them: warm.

#include "RunBuffers.h"

#include "Diffuse/Measure/TestData.h"
#include "Diffuse/Support/CacheSizes.h"
#include "Diffuse/Support/ElementType.h"
#include "Diffuse/Support/Errors.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace diffuse;
using Kind = BoundaryArgument::Kind;

/// Bounds of what all copies take: beyond it filling them costs more than
/// measuring.
static constexpr uint64_t kMaxCopyBytes = 256 << 20;
static constexpr uint64_t kMaxCopies = 4096;

static uint64_t lastLevelCacheBytes() {
  for (unsigned level : {3, 2})
    if (uint64_t bytes = cacheBytes(level))
      return bytes;
  return 32 << 20;
}

static StableHash digestOf(const MeasureRequest &request) {
  return StableHasher()
      .addString(toJson(llvm::ArrayRef(request.boundary)).dump())
      .addIntegers(request.dynamicExtents)
      .addUnsigned(request.dataSeed)
      .addBool(request.checkOnly)
      .finish();
}

/// Bytes of one copy in its row of copies.
static uint64_t strideOf(uint64_t bytes) { return llvm::alignTo(bytes, 64); }

static uint64_t chooseCopies(llvm::ArrayRef<BoundaryArgument> boundary,
                             llvm::ArrayRef<uint64_t> sizes) {
  uint64_t once = 0;
  for (size_t i = 0; i < boundary.size(); ++i)
    if (boundary[i].kind == Kind::Parameter)
      once += strideOf(sizes[i]);
  uint64_t wanted = 2 * lastLevelCacheBytes();
  if (once == 0 || once > wanted)
    return 1;
  return std::clamp<uint64_t>(std::min(wanted, kMaxCopyBytes) / once + 1, 1,
                              kMaxCopies);
}

llvm::Expected<std::unique_ptr<RunBuffers>>
RunBuffers::create(const MeasureRequest &request) {
  std::unique_ptr<RunBuffers> buffers(new RunBuffers());
  buffers->digest = digestOf(request);
  auto fixed = fixExtents(request.boundary, request.dynamicExtents);
  if (!fixed)
    return fixed.takeError();
  buffers->boundary = std::move(*fixed);
  for (const BoundaryArgument &argument : buffers->boundary) {
    llvm::Expected<uint64_t> size = countBytes(argument);
    if (!size)
      return size.takeError();
    buffers->sizes.push_back(*size);
  }
  if (!request.checkOnly)
    buffers->copyCount = chooseCopies(buffers->boundary, buffers->sizes);
  if (llvm::Error error = buffers->allocate(request.dataSeed))
    return error;
  if (llvm::Error error = buffers->makeSlots(request))
    return error;
  buffers->makePointers();
  return buffers;
}

bool RunBuffers::serve(const MeasureRequest &request) const {
  return digest == digestOf(request);
}

uint64_t RunBuffers::byteCount() const {
  uint64_t count = 0;
  for (const GuardedBuffer &buffer : memory)
    count += buffer.size();
  return count;
}

void RunBuffers::setInherited(bool isInherited) {
  for (GuardedBuffer &buffer : memory)
    buffer.setInherited(isInherited);
}

llvm::Error RunBuffers::fillParameter(unsigned argument, uint64_t seed) {
  char *first = memory[argument].data();
  uint64_t size = sizes[argument];
  if (llvm::Error error =
          fillArgument(boundary[argument], seed, argument, first))
    return error;
  for (uint64_t copy = 1; copy < copyCount; ++copy)
    std::memcpy(first + copy * strideOf(size), first, size);
  return llvm::Error::success();
}

llvm::Error RunBuffers::allocate(uint64_t seed) {
  uint64_t machineBytes =
      uint64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  uint64_t total = 0;
  memory.resize(boundary.size());
  for (unsigned i = 0; i < boundary.size(); ++i) {
    if (!boundary[i].isBuffer())
      continue;
    bool isParameter = boundary[i].kind == Kind::Parameter;
    // The last copy ends where the data ends, next to the wall.
    uint64_t bytes =
        sizes[i] + (isParameter ? (copyCount - 1) * strideOf(sizes[i]) : 0);
    if (bytes > machineBytes || (total += bytes) > machineBytes / 2)
      return makeError("the buffers need more than half of the memory of this "
                       "machine");
    auto buffer = GuardedBuffer::allocate(bytes);
    if (!buffer)
      return buffer.takeError();
    memory[i] = std::move(*buffer);
    if (boundary[i].kind == Kind::Destination)
      continue;
    if (llvm::Error error =
            isParameter ? fillParameter(i, seed)
                        : fillArgument(boundary[i], seed, i, memory[i].data()))
      return error;
    memory[i].forbidWrites();
  }
  return llvm::Error::success();
}

llvm::Error RunBuffers::makeSlots(const MeasureRequest &request) {
  for (unsigned i = 0; i < boundary.size(); ++i) {
    if (!boundary[i].isBuffer()) {
      auto slot = scalarSlot(boundary[i], request.dataSeed, i);
      if (!slot)
        return slot.takeError();
      slotValues.push_back(*slot);
      continue;
    }
    for (size_t dim = 0; dim < boundary[i].extents.size(); ++dim)
      if (request.boundary[i].extents[dim] == kDynamicExtent)
        slotValues.push_back(boundary[i].extents[dim]);
  }
  return llvm::Error::success();
}

void RunBuffers::makePointers() {
  for (uint64_t copy = 0; copy < copyCount; ++copy)
    for (unsigned i = 0; i < boundary.size(); ++i) {
      if (!boundary[i].isBuffer())
        continue;
      bool isParameter = boundary[i].kind == Kind::Parameter;
      pointerTable.push_back(memory[i].data() +
                             (isParameter ? copy * strideOf(sizes[i]) : 0));
    }
  pointersPerCall = pointerTable.size() / copyCount;
}

std::vector<unsigned> RunBuffers::destinations() const {
  std::vector<unsigned> found;
  for (unsigned i = 0; i < boundary.size(); ++i)
    if (boundary[i].kind == Kind::Destination)
      found.push_back(i);
  return found;
}

void RunBuffers::clearDestinations() {
  for (unsigned i : destinations()) {
    // Every float of ones is a NaN; no small integer looks like these.
    ElementType type =
        llvm::cantFail(parseElementType(boundary[i].elementType));
    std::memset(memory[i].data(), type.isInteger() ? 0xa5 : 0xff,
                memory[i].size());
    memory[i].fillRedZones();
  }
}

std::string RunBuffers::findDamage() const {
  for (unsigned i : destinations())
    if (!memory[i].redZonesAreIntact())
      return "wrote outside result '" + boundary[i].name + "' (argument " +
             std::to_string(i) + ")";
  return "";
}
