// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of ours is first looked for beside what is running, so that a
// build folder, an installation and a Python wheel each use their own.

#include "Diffuse/Support/FindProgram.h"

#include "Diffuse/Support/Errors.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

using namespace diffuse;
namespace path = llvm::sys::path;

static std::string folderOf(llvm::StringRef file) {
  llvm::SmallString<256> resolved;
  if (llvm::sys::fs::real_path(file, resolved))
    return path::parent_path(file).str();
  return path::parent_path(resolved).str();
}

/// Folder of the library that this code is part of: the plugin's, when the
/// running program is mlir-opt or Python.
static std::string folderOfThisCode() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<void *>(&folderOf), &info) || !info.dli_fname)
    return "";
  return folderOf(info.dli_fname);
}

/// Where programs are looked for before PATH, each folder once.
static llvm::SmallVector<std::string> searchFolders() {
  llvm::SmallVector<std::string> folders{folderOf("/proc/self/exe")};
  std::string library = folderOfThisCode();
  if (!library.empty() && library != folders.front()) {
    folders.push_back(library);
    llvm::SmallString<256> bin(path::parent_path(library));
    path::append(bin, "bin");
    folders.push_back(bin.str().str());
  }
  return folders;
}

llvm::Expected<std::string> diffuse::findProgram(llvm::StringRef name) {
  if (name.contains('/')) {
    if (llvm::sys::fs::can_execute(name))
      return name.str();
    return makeError("'" + name + "' is not a program that can be run");
  }
  std::string searched;
  for (const std::string &folder : searchFolders()) {
    llvm::SmallString<256> candidate(folder);
    path::append(candidate, name);
    if (llvm::sys::fs::can_execute(candidate))
      return candidate.str().str();
    searched += folder + ", ";
  }
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
    return *found;
  return makeError("cannot find the program '" + name + "' in " + searched +
                   "or on PATH");
}

llvm::Expected<std::string>
diffuse::findProgram(llvm::ArrayRef<llvm::StringRef> names) {
  std::string tried;
  for (llvm::StringRef name : names) {
    llvm::Expected<std::string> found = findProgram(name);
    if (found)
      return found;
    tried += (tried.empty() ? "" : "; ") + llvm::toString(found.takeError());
  }
  return makeError(tried);
}
