// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C as a question that loops and waits ask: a tool that is interrupted
// stops at once, writes the best it has and exits with status 130.

#ifndef DIFFUSE_SUPPORT_INTERRUPT_H
#define DIFFUSE_SUPPORT_INTERRUPT_H

#include <csignal>

namespace diffuse {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE are noted instead of ending
/// the process; a second SIGINT ends it as usual. For tools: a library leaves
/// signals alone.
void installInterruptHandler();

/// A file that must not grow is then an error of whoever writes it, like a full
/// disk, and no signal that ends the process. For tools.
void ignoreFileSizeSignal();

/// While it lives, SIGINT, SIGTERM and SIGHUP wait: they do what they do when
/// it is destroyed. For short work that leaves something behind where it is cut
/// off, in a program of one thread.
class HeldSignals {
public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

  /// Whether one waits, so that the work had better be given up.
  static bool isAnyPending();

private:
  sigset_t before;
};

/// The signal that was noted, or 0.
int interruptSignal();

inline bool isInterrupted() { return interruptSignal() != 0; }

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_INTERRUPT_H
