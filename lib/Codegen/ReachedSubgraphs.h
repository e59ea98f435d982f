// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_REACHEDSUBGRAPHS_H
#define DIFFUSE_LIB_CODEGEN_REACHEDSUBGRAPHS_H

#include "Diffuse/Codegen/CompileModule.h"

namespace diffuse {

/// A subgraph that an entry calls, with what it is compiled from.
struct ReachedSubgraph {
  mlir::func::FuncOp function;
  SubgraphSchedule schedule;
  std::string symbol;
};

/// The subgraphs that are left in `prepared`, as they stand in `module`, with a
/// symbol each: named by exact hash, or by name where there is none. Fails
/// where `schedules` does.
mlir::FailureOr<llvm::SmallVector<ReachedSubgraph>>
findReachedSubgraphs(mlir::ModuleOp module, mlir::ModuleOp prepared,
                     const ScheduleProvider &schedules);

/// Calls `compile` with the schedule of `subgraph`. Where that is the default
/// one and fails, a warning names subgraph, sketch and reason, and `compile` is
/// called again without a schedule.
mlir::LogicalResult compileOrFallBack(
    const ReachedSubgraph &subgraph,
    llvm::function_ref<mlir::LogicalResult(const SubgraphSchedule &)> compile);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_REACHEDSUBGRAPHS_H
