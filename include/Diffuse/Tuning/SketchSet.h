// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sketches of one run: the library's, a user's, and those of which only
// records are left.

#ifndef DIFFUSE_TUNING_SKETCHSET_H
#define DIFFUSE_TUNING_SKETCHSET_H

#include "Diffuse/Records/RecordStore.h"
#include "Diffuse/Search/SearchTask.h"

#include "mlir/IR/MLIRContext.h"

namespace diffuse {

struct SketchSet {
  SketchLibrary library;
  /// Of the files that a user names.
  SketchLibrary own;
  /// Of the record files, as far as `own` and `library` have not their names:
  /// what was measured of them counts, and no more of them is.
  SketchLibrary recorded;
  /// Search nothing but `own`.
  bool onlyOwn = false;
};

/// Reads the library and `files`. Fails, with a diagnostic at file and line,
/// where one cannot be read, is not well formed or has a sketch of a name that
/// is taken.
mlir::FailureOr<SketchSet> loadSketches(mlir::MLIRContext *context,
                                        llvm::ArrayRef<std::string> files,
                                        bool onlyOwn);

/// Adds the sketches whose text records hold. One that this version does not
/// take is left out.
void addRecordedSketches(mlir::MLIRContext *context, const RecordStore &records,
                         SketchSet &sketches);

/// Finds the sketches that take the subgraph of `task.descriptor`. False where
/// there is none.
bool bindSketches(const SketchSet &sketches, const TargetDescription &target,
                  Numerics numerics, SearchTask &task);

} // namespace diffuse

#endif // DIFFUSE_TUNING_SKETCHSET_H
