// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second lock, on the folder of all folders, keeps others from sweeping a
// folder between its making and the locking of it.

#include "Diffuse/Support/ScratchFolder.h"

#include "Diffuse/Support/Errors.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

static constexpr llvm::StringLiteral kLockName = "lock";

static std::string join(StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

llvm::Expected<std::string> diffuse::scratchRoot() {
  llvm::SmallString<128> temporary;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  std::string root = join(temporary, "diffuse-" + llvm::Twine(::getuid()));
  if (::mkdir(root.c_str(), 0700) != 0 && errno != EEXIST)
    return makeSystemError(
        "cannot make the folder '" + root + "' for temporary files", errno);
  struct stat status;
  if (::lstat(root.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::getuid() || (status.st_mode & 022))
    return makeError("'" + root +
                     "' is no folder that only this user can write to; remove "
                     "it or set TMPDIR to another place");
  return root;
}

/// Opens the lock file of `folder` and locks it; not open where another holds
/// it or there is none and `flags` does not make it.
static Descriptor takeLock(StringRef folder, int flags, int operation) {
  Descriptor lock(::open(join(folder, kLockName).c_str(),
                         O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  if (lock.isOpen() && lockFile(lock, operation).value() == EWOULDBLOCK)
    lock.close();
  return lock;
}

/// Removes the folders below `root` whose owners are dead. Where locks are not
/// to be had at all nothing is known of owners, and all stays.
static void sweep(StringRef root) {
  std::error_code error;
  llvm::sys::fs::directory_iterator entry(root, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    Descriptor lock(::open(join(entry->path(), kLockName).c_str(),
                           O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (lock.isOpen() && !lockFile(lock, LOCK_EX | LOCK_NB))
      llvm::sys::fs::remove_directories(entry->path());
  }
}

llvm::Expected<ScratchFolder> ScratchFolder::create() {
  llvm::Expected<std::string> root = scratchRoot();
  if (!root)
    return root.takeError();
  Descriptor rootLock = takeLock(*root, O_CREAT, LOCK_EX);
  sweep(*root);
  std::string folder = join(*root, "XXXXXX");
  if (!::mkdtemp(folder.data()))
    return makeSystemError(
        "cannot make a folder for temporary files in '" + *root + "'", errno);
  Descriptor lock = takeLock(folder, O_CREAT, LOCK_EX);
  if (!lock.isOpen()) {
    int reason = errno;
    llvm::sys::fs::remove_directories(folder);
    return makeSystemError("cannot write to '" + folder + "'", reason);
  }
  return ScratchFolder(std::move(folder), std::move(lock));
}

ScratchFolder::ScratchFolder(std::string folder, Descriptor lock)
    : folder(std::move(folder)), lock(std::move(lock)) {}

ScratchFolder::~ScratchFolder() {
  if (lock.isOpen())
    llvm::sys::fs::remove_directories(folder);
}

std::string ScratchFolder::file(const llvm::Twine &name) const {
  return join(folder, name);
}
