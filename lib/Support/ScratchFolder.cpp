// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock file of a folder lies beside it, is made before it and removed after
// it. A second lock, on the folder of all folders, keeps others from sweeping a
// folder between the making of its lock file and the locking of it.

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

/// What the name of a folder's lock file has behind the folder's own.
static constexpr llvm::StringLiteral kLockEnd = ".lock";

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

/// The lock of the root itself, which is asked before any folder is made.
static Descriptor lockRoot(StringRef root) {
  Descriptor lock(::open(join(root, "lock").c_str(),
                         O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT, 0600));
  if (lock.isOpen())
    (void)lockFile(lock, LOCK_EX);
  return lock;
}

/// Removes `folder` and, last, the file that says whose it is: whoever is
/// killed in between leaves what the next sweep finds.
static void removeWithLock(StringRef folder) {
  if (!llvm::sys::fs::remove_directories(folder, /*IgnoreErrors=*/false))
    llvm::sys::fs::remove(folder + kLockEnd);
}

/// Removes the folders below `root` whose owners are dead. Where locks are not
/// to be had at all nothing is known of owners, and all stays.
static void sweep(StringRef root) {
  std::error_code error;
  llvm::sys::fs::directory_iterator entry(root, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    StringRef path = entry->path();
    if (!path.ends_with(kLockEnd))
      continue;
    Descriptor lock(
        ::open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (lock.isOpen() && !lockFile(lock, LOCK_EX | LOCK_NB))
      removeWithLock(path.drop_back(kLockEnd.size()));
  }
}

llvm::Expected<ScratchFolder> ScratchFolder::create() {
  llvm::Expected<std::string> root = scratchRoot();
  if (!root)
    return root.takeError();
  Descriptor rootLock = lockRoot(*root);
  sweep(*root);
  std::string lockPath = join(*root, "XXXXXX" + kLockEnd);
  Descriptor lock(
      ::mkostemps(lockPath.data(), int(kLockEnd.size()), O_CLOEXEC));
  std::string folder = StringRef(lockPath).drop_back(kLockEnd.size()).str();
  if (lock.isOpen() && ::mkdir(folder.c_str(), 0700) == 0) {
    (void)lockFile(lock, LOCK_EX);
    return ScratchFolder(std::move(folder), std::move(lock));
  }
  int reason = errno;
  if (lock.isOpen())
    llvm::sys::fs::remove(lockPath);
  return makeSystemError(
      "cannot make a folder for temporary files in '" + *root + "'", reason);
}

ScratchFolder::ScratchFolder(std::string folder, Descriptor lock)
    : folder(std::move(folder)), lock(std::move(lock)) {}

ScratchFolder::~ScratchFolder() {
  if (lock.isOpen())
    removeWithLock(folder);
}

std::string ScratchFolder::file(const llvm::Twine &name) const {
  return join(folder, name);
}
