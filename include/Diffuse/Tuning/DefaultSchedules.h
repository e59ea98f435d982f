// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TUNING_DEFAULTSCHEDULES_H
#define DIFFUSE_TUNING_DEFAULTSCHEDULES_H

#include "Diffuse/Codegen/CompileModule.h"

#include <memory>

namespace diffuse {

/// Makes the default schedule of each subgraph that it is asked for, and owns
/// it.
class DefaultSchedules {
public:
  /// Fails, with an error on the module of the sketches, where they do not
  /// parse.
  static mlir::FailureOr<DefaultSchedules>
  create(mlir::MLIRContext *context, const TargetDescription &target,
         Numerics numerics);
  DefaultSchedules(DefaultSchedules &&);
  ~DefaultSchedules();

  /// The schedule of the default candidate; no module, which means plain loops,
  /// where no sketch takes the subgraph, `diffuse.default_failed` says that the
  /// candidate failed or `diffuse.applied` that a schedule ran already.
  mlir::FailureOr<SubgraphSchedule> scheduleOf(mlir::func::FuncOp subgraph);

private:
  struct Storage;
  explicit DefaultSchedules(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage;
};

/// Reports, as an error at `subgraph`, why it has no default schedule for a
/// target that does not run plain loops. Always fails.
mlir::LogicalResult reportNoDefault(mlir::func::FuncOp subgraph,
                                    const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_TUNING_DEFAULTSCHEDULES_H
