// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_FAULTGUARD_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_FAULTGUARD_H

#include "LoadedModel.h"

#include <csignal>

namespace diffuse {

/// While it lives, a fault (division by zero, access out of bounds, an
/// instruction that the processor lacks) ends the program with exit status 1
/// and one message that names the library and, where the fault is in its code,
/// the subgraph. One at a time.
class FaultGuard {
public:
  /// Both arguments must outlive it.
  FaultGuard(llvm::StringRef library, llvm::ArrayRef<CodeRange> code);
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;
  FaultGuard &operator=(const FaultGuard &) = delete;

private:
  static constexpr int kSignals[] = {SIGFPE, SIGSEGV, SIGBUS, SIGILL};
  struct sigaction previous[4];
  stack_t previousStack;
  std::unique_ptr<char[]> stack;
};

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_FAULTGUARD_H
