// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Measure/ReservedCore.h"

#include "Diffuse/Support/ScratchFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <system_error>
#include <vector>

using namespace diffuse;

/// The last first.
static std::vector<int> allowedCores() {
  std::vector<int> cores;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    for (int core = CPU_SETSIZE - 1; core >= 0; --core)
      if (CPU_ISSET(core, &allowed))
        cores.push_back(core);
  return cores;
}

/// The least of the logical cores that share a physical core with this one.
static int physicalCore(int core) {
  auto siblings = llvm::MemoryBuffer::getFileAsStream(
      "/sys/devices/system/cpu/cpu" + std::to_string(core) +
      "/topology/thread_siblings_list");
  int least = core;
  // A list such as `0,64` or `0-1`.
  if (siblings)
    (void)(*siblings)->getBuffer().consumeInteger(10, least);
  return least;
}

/// Tries to lock a core; `isTaken` says that somebody else has it.
static Descriptor lockCore(const std::string &folder, int core, bool &isTaken) {
  std::string path =
      folder + "/core-" + std::to_string(physicalCore(core)) + ".lock";
  isTaken = false;
  Descriptor lock(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.isOpen())
    return lock;
  if (std::error_code error = lockFile(lock, LOCK_EX | LOCK_NB)) {
    isTaken = error == std::errc::operation_would_block;
    lock.close();
  }
  return lock;
}

std::vector<int> diffuse::coresBeside(int core) {
  std::vector<int> cores = allowedCores();
  int taken = physicalCore(core);
  llvm::erase_if(cores,
                 [&](int other) { return physicalCore(other) == taken; });
  return cores;
}

void diffuse::keepToCores(int processId, const std::vector<int> &cores) {
  if (cores.empty())
    return;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (int core : cores)
    CPU_SET(core, &allowed);
  (void)::sched_setaffinity(processId, sizeof(allowed), &allowed);
}

ReservedCore ReservedCore::take() {
  ReservedCore reserved;
  std::vector<int> cores = allowedCores();
  if (cores.empty())
    return reserved;
  reserved.core = cores.front();
  llvm::Expected<std::string> folder = scratchRoot();
  if (!folder) {
    llvm::consumeError(folder.takeError());
    return reserved;
  }
  bool areAllTaken = true;
  for (int core : cores) {
    bool isTaken = false;
    Descriptor lock = lockCore(*folder, core, isTaken);
    areAllTaken &= isTaken;
    if (!lock.isOpen())
      continue;
    reserved.core = core;
    reserved.held = Hold::Alone;
    reserved.lock = std::move(lock);
    return reserved;
  }
  if (areAllTaken)
    reserved.held = Hold::Shared;
  return reserved;
}
