// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules from what was measured before, without measuring anything.

#ifndef DIFFUSE_PIPELINES_APPLYRECORDS_H
#define DIFFUSE_PIPELINES_APPLYRECORDS_H

#include "Diffuse/Support/Numerics.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace diffuse {

struct RecordsToApply {
  /// Record file, which is only read.
  std::string path;
  /// As on the command line: `host`, `cpu:<processor>`.
  std::string target = "host";
  Numerics numerics = Numerics::Default;
  bool flushDenormals = false;
  /// A subgraph that no record schedules is an error instead of getting the
  /// default schedule.
  bool failOnUnscheduled = false;
};

/// Gives every subgraph of an outlined module the best schedule that the
/// records hold for it. Fails, with an error at each subgraph concerned or at
/// the module, where `failOnUnscheduled` says so.
mlir::LogicalResult applyRecords(mlir::ModuleOp module,
                                 const RecordsToApply &records);

} // namespace diffuse

#endif // DIFFUSE_PIPELINES_APPLYRECORDS_H
