// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first moments of a child: pipes to it, its group, its limits and what
// becomes of it when its parent dies.

#ifndef DIFFUSE_LIB_SUPPORT_CHILDSTART_H
#define DIFFUSE_LIB_SUPPORT_CHILDSTART_H

#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/Descriptor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <sys/types.h>

namespace diffuse {

/// What happens to a child whose parent dies before it.
enum class WhenParentDies {
  /// It goes on; the end of its input tells it.
  GoOn,
  /// It is killed. The system tells by threads: the one that started the child
  /// must not end before it.
  Kill,
  /// It kills its whole group, which must be its own. Only for a child that
  /// runs no other program: a program has no handler for it.
  KillGroup
};

struct ChildSetup {
  ChildLimits limits;
  bool ownGroup = true;
  WhenParentDies whenParentDies = WhenParentDies::GoOn;
};

/// A pipe, or a pair of sockets, closed in programs that are started.
struct Channel {
  Descriptor ours, theirs;

  /// To the child, as a socket: a write to one whose reader died can be told
  /// not to raise SIGPIPE.
  static llvm::Expected<Channel> toChild();
  static llvm::Expected<Channel> fromChild();
};

/// Forks a child that runs `body` and ends with the status that it returns.
/// Where this process has threads, `body` may make async-signal-safe calls
/// only.
llvm::Expected<pid_t> forkChild(const ChildSetup &setup,
                                llvm::function_ref<int()> body);

/// Starts `command` with the ends of `channels` (input, output, errors) as its
/// standard descriptors and signals as a fresh program expects them, but for
/// SIGINT: Ctrl-C goes to a whole group, and what becomes of the child is for
/// its parent to say.
llvm::Expected<pid_t> forkProgram(const ChildSetup &setup,
                                  const ChildCommand &command,
                                  const Channel (&channels)[3]);

} // namespace diffuse

#endif // DIFFUSE_LIB_SUPPORT_CHILDSTART_H
