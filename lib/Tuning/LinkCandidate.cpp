// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinkCandidate.h"

#include "Diffuse/Codegen/LinkLibrary.h"
#include "Diffuse/Tuning/CompileServer.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

/// A linker that fails on a disk with less than this is not to blame, nor is
/// the candidate.
static constexpr uint64_t kLeastFreeBytes = uint64_t(16) << 20;

llvm::Error diffuse::linkCandidate(StringRef object, StringRef library) {
  return linkSharedLibrary({object.str()}, library);
}

bool diffuse::canLinkBeside(const std::string &path) {
  llvm::ErrorOr<llvm::sys::fs::space_info> space =
      llvm::sys::fs::disk_space(llvm::sys::path::parent_path(path));
  if (!space || space->available < kLeastFreeBytes)
    return false;
  std::string empty = path + ".empty";
  llvm::Error error = linkSharedLibrary({}, empty);
  unlink(empty.c_str());
  bool isLinked = !error;
  llvm::consumeError(std::move(error));
  return isLinked;
}
