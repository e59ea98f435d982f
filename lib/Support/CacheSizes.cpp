// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's tables come before sysconf: in virtual machines glibc counts the
// last level of the whole host, up to twelve times what a core can use.

#include "Diffuse/Support/CacheSizes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

using namespace diffuse;

/// The text of a file in the kernel's description of one cache; empty where
/// there is none.
static std::string readAttribute(unsigned index, llvm::StringRef name) {
  auto file = llvm::MemoryBuffer::getFileAsStream(
      "/sys/devices/system/cpu/cpu0/cache/index" + llvm::Twine(index) + "/" +
      name);
  return file ? (*file)->getBuffer().trim().str() : "";
}

/// Reads `32768K` or `32M`.
static uint64_t parseSize(llvm::StringRef text) {
  uint64_t scale = text.consume_back("K")   ? 1 << 10
                   : text.consume_back("M") ? 1 << 20
                                            : 1;
  uint64_t number = 0;
  return text.getAsInteger(10, number) ? 0 : number * scale;
}

static uint64_t sysconfBytes(unsigned level) {
  int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                 _SC_LEVEL3_CACHE_SIZE};
  long bytes = level >= 1 && level <= 3 ? ::sysconf(names[level - 1]) : 0;
  return bytes > 0 ? bytes : 0;
}

uint64_t diffuse::cacheBytes(unsigned level) {
  for (unsigned index = 0; index < 8; ++index) {
    std::string type = readAttribute(index, "type");
    if (type.empty())
      break;
    if (type != "Instruction" &&
        readAttribute(index, "level") == llvm::utostr(level))
      if (uint64_t bytes = parseSize(readAttribute(index, "size")))
        return bytes;
  }
  return sysconfBytes(level);
}
