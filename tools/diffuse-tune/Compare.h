// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuned schedules against default ones inside the whole module.

#ifndef DIFFUSE_TOOLS_TUNE_COMPARE_H
#define DIFFUSE_TOOLS_TUNE_COMPARE_H

#include "Report.h"

#include "Diffuse/Tuning/HandBacks.h"

#include <functional>

namespace diffuse {

/// Seconds that whole modules run with every call timed, and without.
inline constexpr double kProfileSeconds = 1;
inline constexpr double kCompareSeconds = 2;

/// Records what was seen, and warns where the file does not hold it.
void recordAndWarn(const TuneRequest &request, const TuneResult &result,
                   llvm::ArrayRef<HandBack> handBacks);

/// Text of a module.
std::string printModule(mlir::ModuleOp module);

/// Builds `module` with default schedules and with those of `result` where they
/// differ. Subgraphs that are slower inside the network, in two comparisons one
/// after the other, give theirs back, in `module` and in `result`, and that is
/// recorded. What an earlier run gave back stays so unless it is found no
/// slower. What is left runs in turn with the module of default schedules, and
/// with plain loops where wanted. Files go to `folder`. Fails with what the
/// compiler or the runner said, on an interrupt, or where `secondsLeft` comes
/// to nothing; `times` then holds what was done before.
llvm::Error compareWithDefaults(const TuneOptions &options,
                                llvm::StringRef folder, mlir::ModuleOp module,
                                TuneResult &result,
                                std::function<double()> secondsLeft,
                                ModuleTimes &times);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_TUNE_COMPARE_H
