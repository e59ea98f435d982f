// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may happen to a bad candidate. A failure is data: it stands in the
// record beside its message and teaches the search where not to go.

#ifndef DIFFUSE_SUPPORT_FAILUREKIND_H
#define DIFFUSE_SUPPORT_FAILUREKIND_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace diffuse {

enum class FailureKind {
  /// It ran and answered right.
  None,
  /// The compiler refused it with a diagnostic.
  CompileError,
  /// The compiler died.
  CompileCrash,
  /// The compiler was stopped at its time limit.
  CompileTimeout,
  /// The compiler was stopped at its memory limit.
  CompileMemory,
  /// The code died by a signal or returned an error.
  RunCrash,
  /// The code was stopped at its time limit.
  RunTimeout,
  /// The code was refused memory at its limit.
  RunMemory,
  /// It ran and its answer differs from the reference.
  WrongAnswer,
  /// It touched memory outside its buffers or wrote to an input.
  OutOfBounds,
  /// It ran and answered right, but inside its network it was slower than
  /// the default schedule.
  SlowerInNetwork,
  /// Not the candidate's fault: no reference, no worker, no library.
  Unmeasurable
};

/// True for what says as much of a machine and its load as of the code: limits
/// of time and memory that were met, and comparisons of times.
bool dependsOnMachine(FailureKind kind);

/// Word of the kind in records: `none`, `compile-error`, ...
llvm::StringRef printFailureKind(FailureKind kind);

/// Reads what printFailureKind writes.
llvm::Expected<FailureKind> parseFailureKind(llvm::StringRef word);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_FAILUREKIND_H
