// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that was measured compiles. One that no measurement stands for,
// because the budget was 0 or spent or no code was run at all, is compiled
// before it is written into a module. As with candidates that is another
// process's work, which may crash or never end.

#ifndef DIFFUSE_LIB_TUNING_CHECKSCHEDULES_H
#define DIFFUSE_LIB_TUNING_CHECKSCHEDULES_H

#include "Diffuse/Tuning/TuneModule.h"

namespace diffuse {

/// Has `compiler` compile the best candidate of every task that has no measured
/// time, and of all where `isReal` is false. One that does not compile gives
/// way to the default schedule and that to plain loops, each with a warning to
/// `progress`; a default schedule that fails is noted as such in the outcome.
/// Where the compiler itself cannot work, a warning says so and all stay.
/// Schedules for GPUs are left alone: a GPU has no plain loops to fall back to.
void checkSchedules(const ModuleTasks &tasks, const TargetDescription &target,
                    const TunerOptions &options, bool isReal,
                    CandidateCompiler &compiler,
                    llvm::MutableArrayRef<TaskOutcome> outcomes,
                    ProgressSink &progress);

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_CHECKSCHEDULES_H
