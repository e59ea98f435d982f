// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module and its schedules as text that plain mlir-opt replays:
//
//   mlir-opt payload.mlir --transform-preload-library=
//       'transform-library-paths=schedules.mlir' --transform-interpreter

#ifndef DIFFUSE_PIPELINES_EMITSCHEDULES_H
#define DIFFUSE_PIPELINES_EMITSCHEDULES_H

#include "Diffuse/Pipelines/CompileFile.h"

namespace diffuse {

struct ScheduleFiles {
  /// The outlined module without its schedules.
  std::string payload;
  /// Every sequence, and `@__transform_main`: it finds each subgraph by its
  /// exact hash, runs its tensor part, bufferizes the module and runs the
  /// vector parts.
  std::string schedules;
  /// Sketch and choices of each subgraph, as JSON.
  std::string selected;
};

/// The schedules that compiling `file` with `options` would use. Replays them
/// on a copy first. Fails with messages printed where they do not apply.
mlir::FailureOr<ScheduleFiles> emitSchedules(ModuleFile &file,
                                             const CompileFileOptions &options);

} // namespace diffuse

#endif // DIFFUSE_PIPELINES_EMITSCHEDULES_H
