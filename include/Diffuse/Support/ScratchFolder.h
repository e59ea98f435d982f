// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders for files that go with the process that made them. A process that is
// killed removes nothing, so its folders are removed by the next one: the owner
// holds a lock on a file beside it as long as it lives, and who gets the lock
// of another's folder knows that nobody owns it any more.

#ifndef DIFFUSE_SUPPORT_SCRATCHFOLDER_H
#define DIFFUSE_SUPPORT_SCRATCHFOLDER_H

#include "Diffuse/Support/Descriptor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace diffuse {

/// A folder of this process alone, removed with everything in it when this is
/// destroyed. It lies in `diffuse-<user number>` below the system's folder for
/// temporary files.
class ScratchFolder {
public:
  /// Makes one, and removes those whose owners are dead. Fails where the system
  /// refuses a folder or another user has taken its place.
  static llvm::Expected<ScratchFolder> create();

  ScratchFolder(ScratchFolder &&) = default;
  ~ScratchFolder();

  llvm::StringRef path() const { return folder; }
  /// The path of `name` in the folder.
  std::string file(const llvm::Twine &name) const;

private:
  ScratchFolder(std::string folder, Descriptor lock);

  std::string folder;
  Descriptor lock;
};

/// The folder in which all folders of this user lie, made where it is not
/// there.
llvm::Expected<std::string> scratchRoot();

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_SCRATCHFOLDER_H
