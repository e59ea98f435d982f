// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole modules side by side: what the sum of isolated measurements promises is
// not what counts.

#ifndef DIFFUSE_TUNING_COMPAREMODULES_H
#define DIFFUSE_TUNING_COMPAREMODULES_H

#include "Diffuse/Tuning/InNetworkTimes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace diffuse {

/// What is slower by a smaller share is not called slower.
inline constexpr double kNoiseShare = 0.01;

/// How a library is made for a comparison.
struct ModuleBuild {
  /// Path of the module.
  std::string module;
  /// `tuned`, `default` or `none`.
  std::string schedules;
  /// Further options of diffuse-compile.
  std::vector<std::string> options;
  /// Where the library goes.
  std::string library;
  /// Ends the compilation once it is true.
  std::function<bool()> interrupted;
};

/// Compiles a module in another process. Fails with what the compiler said, or
/// where it was interrupted.
llvm::Error buildModule(const ModuleBuild &build);

/// Least time of each round of a comparison, in microseconds.
using RoundTimes = std::vector<double>;

double leastOf(const RoundTimes &times);

/// Whether `tuned` is slower by more than kNoiseShare and by more than what
/// lies between the two fastest rounds of either.
bool isSlower(const RoundTimes &tuned, const RoundTimes &byDefault);

/// Times whole runs of `libraries` in turn, in processes of their own, for
/// about `seconds` altogether, in three rounds or fewer where runs are slow.
/// Returns the least time of each round, by library. Fails with what the runner
/// said, and soon after `interrupted` became true.
llvm::Expected<std::vector<RoundTimes>>
compareModules(llvm::ArrayRef<std::string> libraries,
               llvm::ArrayRef<std::string> runOptions, double seconds,
               const std::function<bool()> &interrupted);

/// Times every call of a subgraph inside whole runs of `libraries`, in turn, as
/// compareModules times the runs: the least time of each call by library.
llvm::Expected<std::vector<std::vector<CallTime>>>
profileModules(llvm::ArrayRef<std::string> libraries,
               llvm::ArrayRef<std::string> runOptions, double seconds,
               const std::function<bool()> &interrupted);

} // namespace diffuse

#endif // DIFFUSE_TUNING_COMPAREMODULES_H
