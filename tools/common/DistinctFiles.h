// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output replaces what was there: a tool whose command line names one file
// for two purposes would lose the first of them without a word. Names prove
// nothing, since there are links and several ways to write a path, so files are
// told apart by what the file system says of them.

#ifndef DIFFUSE_TOOLS_COMMON_DISTINCTFILES_H
#define DIFFUSE_TOOLS_COMMON_DISTINCTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace diffuse {

/// The files that a command line names.
class DistinctFiles {
public:
  /// Notes that `path` is read as `role`, such as `the model` or
  /// `--parameters`. Names of no file (``, `-`) are passed over.
  void reads(const llvm::Twine &role, llvm::StringRef path);
  /// The same of a file that is written. Pipes and devices (/dev/null) are
  /// passed over: several may write to one, and nothing is lost.
  void writes(const llvm::Twine &role, llvm::StringRef path);

  /// Fails, naming both, where a file that is written is also read or written
  /// in another role.
  llvm::Error check() const;

private:
  struct File {
    std::string role;
    std::string path;
    bool isWritten;
  };
  std::vector<File> files;
};

} // namespace diffuse

#endif // DIFFUSE_TOOLS_COMMON_DISTINCTFILES_H
