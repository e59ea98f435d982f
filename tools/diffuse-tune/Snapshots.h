// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder that --snapshots names: a module for each mark of the run, the
// last one, and an index.

#ifndef DIFFUSE_TOOLS_TUNE_SNAPSHOTS_H
#define DIFFUSE_TOOLS_TUNE_SNAPSHOTS_H

#include "Diffuse/Tuning/TuneSubgraphs.h"

namespace diffuse {

/// Makes the folder where it is not there. Fails where nothing can be written
/// in it.
llvm::Error prepareSnapshots(const std::string &folder);

/// All files that a run of this budget may write in the folder.
std::vector<std::string> snapshotFiles(llvm::StringRef folder,
                                       const Budget &budget);

class SnapshotFolder {
public:
  explicit SnapshotFolder(std::string path) : path(std::move(path)) {}

  /// Writes `NAME.mlir`, then the index that knows it.
  llvm::Error write(mlir::ModuleOp module, llvm::StringRef name, double seconds,
                    unsigned measurements, double estimatedMicros);

private:
  std::string path;
  Json::Array entries;
};

} // namespace diffuse

#endif // DIFFUSE_TOOLS_TUNE_SNAPSHOTS_H
