// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinkCandidate.h"

#include "Diffuse/Codegen/LinkLibrary.h"
#include "Diffuse/Support/AtomicFile.h"

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

bool diffuse::canLinkBeside(const std::string &path, CandidateLinker link,
                            StringRef object) {
  llvm::ErrorOr<llvm::sys::fs::space_info> space =
      llvm::sys::fs::disk_space(llvm::sys::path::parent_path(path));
  if (!space || space->available < kLeastFreeBytes)
    return false;
  std::string library = path + ".trial", objectPath = library + ".o";
  llvm::Error error = writeScratchFile(objectPath, object);
  if (!error)
    error = link(objectPath, library);
  unlink(objectPath.c_str());
  unlink(library.c_str());
  bool isLinked = !error;
  llvm::consumeError(std::move(error));
  return isLinked;
}
