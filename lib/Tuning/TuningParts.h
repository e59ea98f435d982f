// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every step of a tuning run works with, and what steps share: names of
// scratch files, scopes of records, requests to the measurer.

#ifndef DIFFUSE_LIB_TUNING_TUNINGPARTS_H
#define DIFFUSE_LIB_TUNING_TUNINGPARTS_H

#include "Diffuse/Tuning/Tuner.h"

namespace diffuse {

/// The parts of one run. All are borrowed.
struct TuningParts {
  mlir::MLIRContext *context;
  llvm::ArrayRef<TuningTask> tasks;
  llvm::ArrayRef<SearchTask> searchTasks;
  const TargetDescription &target;
  const TunerOptions &options;
  CandidateCompiler &compiler;
  Measurer &measurer;
  RecordStore &records;

  RecordScope scopeOf(unsigned task) const;
  /// A file in the scratch folder that belongs to a task.
  std::string pathFor(unsigned task, llvm::StringRef suffix) const;
  /// A request to run compiled code of a task on the data of `seed`, with the
  /// tolerance of each destination.
  MeasureRequest requestFor(unsigned task, const CompileOutcome &compiled,
                            const std::string &library, uint64_t seed) const;
  /// Names this machine in records; empty under measurers whose answers are
  /// the same everywhere.
  std::string machine() const;
};

/// Seeds of the data: candidates run on the first, winners on the second too.
inline constexpr uint64_t kDataSeed = 1, kSecondSeed = 2;
/// Name of the sequences in the text of a candidate's schedule, without suffix.
inline constexpr llvm::StringLiteral kScheduleName = "schedule";
/// Seconds for a run to warm up and to fill its buffers.
inline constexpr double kRunSeconds = 10;

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_TUNINGPARTS_H
