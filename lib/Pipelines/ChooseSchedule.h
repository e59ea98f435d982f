// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_PIPELINES_CHOOSESCHEDULE_H
#define DIFFUSE_LIB_PIPELINES_CHOOSESCHEDULE_H

#include "Diffuse/Pipelines/CompileFile.h"
#include "Diffuse/Tuning/DefaultSchedules.h"

#include <optional>

namespace diffuse {

/// Answers what schedule a subgraph gets under the options. Owns the default
/// ones.
class ScheduleChooser {
public:
  ScheduleChooser(mlir::MLIRContext *context, const CompileFileOptions &options)
      : context(context), options(options) {}

  /// Fails, with an error emitted, where it must have one and has none.
  mlir::FailureOr<SubgraphSchedule> operator()(mlir::func::FuncOp subgraph);

private:
  mlir::FailureOr<SubgraphSchedule> defaultOf(mlir::func::FuncOp subgraph);

  mlir::MLIRContext *context;
  const CompileFileOptions &options;
  std::optional<DefaultSchedules> defaults;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_PIPELINES_CHOOSESCHEDULE_H
