// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much the caches of this machine hold, as one core sees them.

#ifndef DIFFUSE_SUPPORT_CACHESIZES_H
#define DIFFUSE_SUPPORT_CACHESIZES_H

#include <cstdint>

namespace diffuse {

/// Bytes of the data or unified cache of `level` (1 to 3) that the first core
/// uses, or 0 where the system does not tell.
uint64_t cacheBytes(unsigned level);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_CACHESIZES_H
