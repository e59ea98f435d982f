// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_PIPELINES_DEFAULTSCHEDULES_H
#define DIFFUSE_PIPELINES_DEFAULTSCHEDULES_H

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

  /// The schedule of the default candidate; no module where no sketch takes
  /// the subgraph.
  mlir::FailureOr<SubgraphSchedule> scheduleOf(mlir::func::FuncOp subgraph);

private:
  struct Storage;
  explicit DefaultSchedules(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage;
};

} // namespace diffuse

#endif // DIFFUSE_PIPELINES_DEFAULTSCHEDULES_H
