// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between a module and the tuner: subgraphs become tasks, outcomes become
// schedules in the module.

#ifndef DIFFUSE_TUNING_TUNEMODULE_H
#define DIFFUSE_TUNING_TUNEMODULE_H

#include "Diffuse/Tuning/SketchSet.h"
#include "Diffuse/Tuning/Tuner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Regex.h"

namespace diffuse {

/// The tasks of a module, and what stays out of reach.
struct ModuleTasks {
  std::vector<TuningTask> tasks;
  /// `searchTasks[i]` describes `tasks[i]`.
  std::vector<SearchTask> searchTasks;
  /// Subgraphs that no sketch takes: they keep the plain lowering.
  std::vector<std::string> uncovered;
  /// Subgraphs that run once for each handle, in no run: they keep the default
  /// schedule, and nothing is measured for them.
  std::vector<std::string> prepared;
  /// Arithmetic of one run of the module, and of it what sketches cover.
  double totalFlops = 0, coveredFlops = 0;
};

/// Collects the subgraphs of an outlined, hashed and clustered `module`.
/// Subgraphs whose names `only` does not match, those whose schedule was
/// applied already, and those that no run calls become no tasks. Fails, with an
/// error at the function, where a subgraph cannot be described.
mlir::FailureOr<ModuleTasks> collectTasks(mlir::ModuleOp module,
                                          const TargetDescription &target,
                                          const SketchSet &sketches,
                                          Numerics numerics, llvm::Regex &only);

/// Stores the schedule that `candidate` stands for in `@diffuse_schedules` of
/// the module of `function`, replacing one the function has, and refers to it
/// from the function.
llvm::LogicalResult attachSchedule(mlir::func::FuncOp function,
                                   const SearchTask &task,
                                   const Candidate &candidate);

/// Attaches the best candidate of every task; one without a best loses the
/// schedule it has. Where the default schedule failed, `diffuse.default_failed`
/// says how, so that nobody takes it for a schedule later.
llvm::LogicalResult attachOutcome(mlir::ModuleOp module,
                                  const ModuleTasks &tasks,
                                  llvm::ArrayRef<TaskOutcome> outcomes);

/// Makes the default schedule of every task its best one, and plain loops where
/// that failed or there is none.
void takeDefaults(const ModuleTasks &tasks, const TargetDescription &target,
                  llvm::MutableArrayRef<TaskOutcome> outcomes);

/// What `diffuse.provenance` says of how a module was tuned.
struct Provenance {
  std::string target;
  unsigned threads = 1;
  Numerics numerics = Numerics::Default;
  bool flushDenormals = false;
  uint64_t seed = 0;
  /// Digest of all records that could count, or empty without any.
  std::string records;
};

void setProvenance(mlir::ModuleOp module, const Provenance &provenance);

/// Of each own sketch that takes no subgraph of `module`, why not, in a line
/// for people.
std::vector<std::string> describeUnusedSketches(mlir::ModuleOp module,
                                                const TargetDescription &target,
                                                const SketchSet &sketches,
                                                Numerics numerics);

/// A module that holds `function` alone, as text, without what this module's
/// other functions have to do with it (calls, cluster, schedule).
std::string subgraphText(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_TUNING_TUNEMODULE_H
