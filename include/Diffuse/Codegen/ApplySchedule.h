// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules are transform IR with nothing open; applying one is interpreting
// its sequences on a function.

#ifndef DIFFUSE_CODEGEN_APPLYSCHEDULE_H
#define DIFFUSE_CODEGEN_APPLYSCHEDULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Runs the sequence `name` of `schedules` on `function`. Returns whether there
/// is such a sequence. Handles are checked for use after they are consumed:
/// a faulty schedule is an error, never a crash.
///
/// On failure the function is left half transformed.
mlir::FailureOr<bool> applySequence(mlir::func::FuncOp function,
                                    mlir::ModuleOp schedules,
                                    llvm::StringRef name);

/// What becomes of a subgraph whose schedule does not apply.
enum class OnScheduleFailure {
  /// An error that names the subgraph and the op.
  Error,
  /// A warning; the subgraph stays as it was, without a schedule.
  Keep
};

/// Applies the tensor sequence of every subgraph of `module` that refers to
/// one, and drops the reference: what it asked for is done, which
/// `diffuse.applied` says from then on.
mlir::LogicalResult applySchedules(mlir::ModuleOp module,
                                   OnScheduleFailure onFailure);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_APPLYSCHEDULE_H
