// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DistinctFiles.h"

#include "Diffuse/Support/Errors.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace diffuse;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

void DistinctFiles::reads(const llvm::Twine &role, StringRef path) {
  if (!path.empty() && path != "-")
    files.push_back({role.str(), path.str(), false});
}

void DistinctFiles::writes(const llvm::Twine &role, StringRef path) {
  fs::file_status status;
  bool isStream = !fs::status(path, status) && !fs::is_regular_file(status) &&
                  !fs::is_directory(status);
  if (!path.empty() && path != "-" && !isStream)
    files.push_back({role.str(), path.str(), true});
}

/// Where a file that is not there yet will be.
static std::string futurePlace(StringRef file) {
  StringRef folder = path::parent_path(file);
  llvm::SmallString<256> place;
  if (fs::real_path(folder.empty() ? "." : folder, place))
    place = folder;
  path::append(place, path::filename(file));
  return place.str().str();
}

static bool isSameFile(StringRef one, StringRef other) {
  bool isThere = fs::exists(one);
  if (isThere != fs::exists(other))
    return false;
  return isThere ? fs::equivalent(one, other)
                 : futurePlace(one) == futurePlace(other);
}

llvm::Error DistinctFiles::check() const {
  for (size_t second = 0; second < files.size(); ++second)
    for (size_t first = 0; first < second; ++first) {
      const File &one = files[first], &other = files[second];
      if ((one.isWritten || other.isWritten) &&
          isSameFile(one.path, other.path))
        return makeError("'" + other.path + "' is given as " + one.role +
                         " and as " + other.role +
                         "; what is written needs a file of its own");
    }
  return llvm::Error::success();
}
