// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What became of processes that a test knows by their numbers.

#ifndef DIFFUSE_UNITTESTS_SUPPORT_PROCESSES_H
#define DIFFUSE_UNITTESTS_SUPPORT_PROCESSES_H

#include "llvm/Support/MemoryBuffer.h"
#include <string>
#include <unistd.h>

namespace diffuse {

/// Whether a process runs: one that is dead may wait a moment for whoever
/// inherits it.
inline bool isRunning(int pid) {
  auto status = llvm::MemoryBuffer::getFileAsStream(
      "/proc/" + std::to_string(pid) + "/stat");
  return status && !(*status)->getBuffer().rsplit(") ").second.starts_with("Z");
}

/// False where it is still there after some seconds.
inline bool waitUntilGone(int pid) {
  for (int i = 0; i < 1000 && isRunning(pid); ++i)
    usleep(10000);
  return !isRunning(pid);
}

} // namespace diffuse

#endif // DIFFUSE_UNITTESTS_SUPPORT_PROCESSES_H
