// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of tuning behind one call: what the pass and the tool share.

#ifndef DIFFUSE_TUNING_TUNESUBGRAPHS_H
#define DIFFUSE_TUNING_TUNESUBGRAPHS_H

#include "Diffuse/Tuning/Snapshots.h"
#include "Diffuse/Tuning/TuneModule.h"

namespace diffuse {

struct TuneRequest {
  /// As on the command line: `host`, `cpu:<processor>`.
  std::string target = "host";
  /// `local`, `fake` or `replay:FILE`.
  std::string measurer = "local";
  /// Record file to read and append to; empty keeps records in memory.
  std::string records;
  /// Record files that are only read.
  std::vector<std::string> priorRecords;
  /// Files of sketches beside the library's; and whether to search these alone.
  std::vector<std::string> sketchFiles;
  bool onlyOwnSketches = false;
  /// Regular expression on the names of subgraphs; empty tunes all.
  std::string only;
  /// Budget, strategy, seed, clock and so on. `scratch` may be empty: then a
  /// folder of the system's is made and removed.
  TunerOptions tuner;
  /// Takes the module as it was at each mark of the run. A failure is warned
  /// of, and tuning goes on.
  std::function<llvm::Error(mlir::ModuleOp, const Snapshot &)> snapshot;
};

struct TuneResult {
  TargetDescription target;
  ModuleTasks tasks;
  TuningOutcome outcome;
  RecordCounts records;
  /// What the run knew at its end, and may be added to.
  std::unique_ptr<RecordStore> store;
  /// What the user should know of record files.
  std::vector<std::string> problems;
};

/// Fails where no module could be tuned so: unknown target or measurer, broken
/// regular expression, a target that is to be measured and cannot be.
llvm::Error checkRequest(const TuneRequest &request);

/// Tunes the subgraphs of an outlined module and attaches the best schedule of
/// each; computes hashes and clusters where they are absent. Fails, with an
/// error at the module, where the request cannot be carried out (unknown
/// target, measurer or strategy, broken regular expression), or at the line of
/// a file of sketches that cannot be taken. A budget of 0
/// measurements applies records and default schedules.
mlir::FailureOr<TuneResult> tuneSubgraphs(mlir::ModuleOp module,
                                          const TuneRequest &request,
                                          ProgressSink &progress);

/// Says in `module` how it was tuned, by what `result.store` holds now; called
/// again by whoever adds to it.
void setProvenance(mlir::ModuleOp module, const TuneRequest &request,
                   const TuneResult &result);

} // namespace diffuse

#endif // DIFFUSE_TUNING_TUNESUBGRAPHS_H
