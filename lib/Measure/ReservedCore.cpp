// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Measure/ReservedCore.h"

#include "Diffuse/Support/ScratchFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <fcntl.h>
#include <map>
#include <sched.h>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <vector>

using namespace diffuse;

/// Asking whether a core is taken takes microseconds, unless whoever asks loses
/// its own core meanwhile. So cores are tried this often, at such intervals.
static constexpr unsigned kTries = 6;
static constexpr std::chrono::milliseconds kAskingTime(4);

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

static std::string lockPath(const std::string &folder, int physical) {
  return folder + "/core-" + std::to_string(physical) + ".lock";
}

/// Tries to lock a core; `isTaken` says that somebody else has it.
static Descriptor lockCore(const std::string &folder, int core, bool &isTaken) {
  std::string path = lockPath(folder, physicalCore(core));
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

/// Whether somebody holds the lock of a physical core. Askers do not disturb
/// each other.
static bool isHeld(const std::string &folder, int physical) {
  Descriptor lock(::open(lockPath(folder, physical).c_str(),
                         O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return lock.isOpen() &&
         lockFile(lock, LOCK_SH | LOCK_NB) == std::errc::operation_would_block;
}

std::vector<int> diffuse::coresBeside(int core) {
  // Whether each physical core is measured on.
  std::map<int, bool> measuredOn = {{physicalCore(core), true}};
  llvm::Expected<std::string> folder = scratchRoot();
  auto isTaken = [&](int other) {
    auto [entry, isNew] = measuredOn.try_emplace(physicalCore(other), false);
    if (isNew && folder)
      entry->second = isHeld(*folder, entry->first);
    return entry->second;
  };
  std::vector<int> cores = allowedCores();
  llvm::erase_if(cores, isTaken);
  llvm::consumeError(folder.takeError());
  return cores;
}

void diffuse::keepToCores(int processId, const std::vector<int> &cores) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  for (int core : cores.empty() ? allowedCores() : cores)
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
  // Somebody may only ask about the last free core, as isHeld does.
  for (unsigned attempt = 0; attempt < kTries; ++attempt) {
    if (attempt > 0)
      std::this_thread::sleep_for(kAskingTime);
    if (!reserved.tryAny(*folder, cores))
      break;
  }
  return reserved;
}

bool ReservedCore::tryAny(const std::string &folder,
                          const std::vector<int> &cores) {
  bool areAllTaken = true;
  for (int each : cores) {
    bool isTaken = false;
    lock = lockCore(folder, each, isTaken);
    areAllTaken &= isTaken;
    if (!lock.isOpen())
      continue;
    core = each;
    held = Hold::Alone;
    return false;
  }
  held = areAllTaken ? Hold::Shared : Hold::Unknown;
  return areAllTaken;
}
