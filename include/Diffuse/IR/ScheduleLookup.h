// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a function to the sequences that schedule it: the nested module
// @diffuse_schedules holds @NAME__prepare, @NAME__tensor and @NAME__vector,
// and the function names the tensor sequence in `diffuse.schedule`.

#ifndef DIFFUSE_IR_SCHEDULELOOKUP_H
#define DIFFUSE_IR_SCHEDULELOOKUP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace diffuse {

/// The sequences of one schedule; each may be null except `library`.
struct ScheduleSequences {
  /// The module that holds the sequences.
  mlir::ModuleOp library;
  mlir::Operation *prepare = nullptr;
  mlir::Operation *tensor = nullptr;
  mlir::Operation *vector = nullptr;
};

/// The name of a sibling sequence: `NAME__tensor` with its suffix replaced.
/// Empty when `tensorSequence` does not end in `__tensor`.
std::string replaceScheduleSuffix(llvm::StringRef tensorSequence,
                                  llvm::StringRef suffix);

/// Finds the schedule of `function`. Returns sequences with a null library when
/// it has none. Fails, with an error at the function, when `diffuse.schedule`
/// is not a reference into a module of the function's module or names a
/// sequence that is not there.
mlir::FailureOr<ScheduleSequences> lookupSchedule(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_IR_SCHEDULELOOKUP_H
