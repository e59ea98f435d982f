// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The temporary lies in the folder of the target, since a rename is atomic only
// inside one file system.

#include "Diffuse/Support/AtomicFile.h"

#include "Diffuse/Support/Descriptor.h"
#include "Diffuse/Support/Errors.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

static llvm::Error cannotWrite(StringRef path, int errorNumber) {
  return makeSystemError("cannot write '" + path + "'", errorNumber);
}

/// Opens with `flags` and writes to what is there.
static llvm::Error writeDirectly(StringRef path, StringRef bytes, int flags) {
  int descriptor =
      ::open(path.str().c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (descriptor < 0)
    return cannotWrite(path, errno);
  std::error_code error = writeAll(descriptor, bytes);
  if (::close(descriptor) != 0 && !error)
    return cannotWrite(path, errno);
  return error ? cannotWrite(path, error.value()) : llvm::Error::success();
}

namespace {
/// What lies at the end of a path.
struct WriteTarget {
  /// With symbolic links followed.
  std::string path;
  /// Mode of the file that is there.
  std::optional<mode_t> mode;
  /// A pipe or device, which cannot be replaced.
  bool isStream = false;
};
} // namespace

/// Follows a link whose target need not exist.
static std::string followLinks(StringRef path) {
  llvm::SmallString<256> current(path);
  for (int hops = 0; hops < 40; ++hops) {
    llvm::SmallString<256> next;
    next.resize(4096);
    ssize_t length = ::readlink(current.c_str(), next.data(), next.size());
    if (length < 0)
      break;
    next.resize(length);
    if (llvm::sys::path::is_relative(next))
      llvm::sys::path::make_absolute(llvm::sys::path::parent_path(current),
                                     next);
    current = next;
  }
  return current.str().str();
}

static std::string folderOf(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder.str();
}

static llvm::Expected<WriteTarget> findTarget(StringRef path) {
  if (path.empty())
    return makeError("cannot write a file without a name");
  WriteTarget target;
  struct stat status;
  if (::stat(path.str().c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return makeError("cannot write '" + path + "': it is a directory");
    target.mode = status.st_mode & 07777;
    target.isStream = !S_ISREG(status.st_mode);
    // A rename would succeed over a file that its owner has protected.
    if (::access(path.str().c_str(), W_OK) != 0)
      return cannotWrite(path, errno);
  }
  target.path = target.isStream ? path.str() : followLinks(path);
  if (!target.isStream && ::access(folderOf(target.path).c_str(), W_OK) != 0)
    return makeSystemError("cannot write '" + path + "': folder '" +
                               folderOf(target.path) + "'",
                           errno);
  return target;
}

/// Makes the rename itself durable; file systems that cannot are left alone.
static void syncFolder(StringRef folder) {
  int descriptor =
      ::open(folder.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  ::fsync(descriptor);
  ::close(descriptor);
}

/// The mode of a file that open() would create. umask can only be read by
/// setting it, which would race with other threads, so it is read from /proc.
static mode_t defaultMode() {
  auto status = llvm::MemoryBuffer::getFileAsStream("/proc/self/status");
  if (status) {
    StringRef line = (*status)->getBuffer().split("\nUmask:").second;
    unsigned mask = 0;
    if (!line.ltrim().consumeInteger(8, mask))
      return 0666 & ~mask;
  }
  return 0644;
}

static llvm::Error fillTemporary(int descriptor, const WriteTarget &target,
                                 StringRef bytes) {
  if (std::error_code error = writeAll(descriptor, bytes))
    return cannotWrite(target.path, error.value());
  if (::fchmod(descriptor, target.mode.value_or(defaultMode())) != 0 ||
      ::fsync(descriptor) != 0)
    return cannotWrite(target.path, errno);
  return llvm::Error::success();
}

static llvm::Error replaceFile(const WriteTarget &target, StringRef bytes) {
  std::string temporary = target.path + ".XXXXXX";
  int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0)
    return cannotWrite(target.path, errno);
  llvm::scope_exit discard([&] { ::unlink(temporary.c_str()); });
  llvm::Error error = fillTemporary(descriptor, target, bytes);
  ::close(descriptor);
  if (error)
    return error;
  if (::rename(temporary.c_str(), target.path.c_str()) != 0)
    return cannotWrite(target.path, errno);
  discard.release();
  syncFolder(folderOf(target.path));
  return llvm::Error::success();
}

llvm::Error diffuse::writeFileAtomically(StringRef path, StringRef bytes) {
  if (path == "-") {
    std::error_code error = writeAll(STDOUT_FILENO, bytes);
    return error ? cannotWrite("standard output", error.value())
                 : llvm::Error::success();
  }
  llvm::Expected<WriteTarget> target = findTarget(path);
  if (!target)
    return target.takeError();
  if (target->isStream)
    return writeDirectly(path, bytes, 0);
  return replaceFile(*target, bytes);
}

llvm::Error diffuse::writeScratchFile(StringRef path, StringRef bytes) {
  return writeDirectly(path, bytes, O_CREAT | O_TRUNC);
}

llvm::Error diffuse::checkWritable(StringRef path) {
  if (path == "-")
    return llvm::Error::success();
  return findTarget(path).takeError();
}

llvm::Expected<std::string> diffuse::readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("cannot read '" + path +
                     "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}
