// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs run beside this one under limits. They start by posix_spawn, since a
// fork of a process with threads may hold locks for ever, and each leads a
// process group of its own, so that all it started can be killed with it.

#ifndef DIFFUSE_SUPPORT_CHILDPROCESS_H
#define DIFFUSE_SUPPORT_CHILDPROCESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace diffuse {

/// Zero means no limit.
struct ChildLimits {
  /// Since the start; the group is killed at the limit.
  double wallSeconds = 0;
  /// Of the child process itself, rounded up to whole seconds.
  double cpuSeconds = 0;
  /// Address space of the child process.
  uint64_t memoryBytes = 0;
};

struct ChildCommand {
  /// A path; findProgram looks names up.
  std::string program;
  /// Without the name of the program.
  std::vector<std::string> arguments;
  /// Given on standard input, which then ends (runChild only).
  std::string input;
  ChildLimits limits;
};

struct ChildOutcome {
  /// Valid where signal is 0.
  int exitStatus = 0;
  /// That ended it, or 0.
  int signal = 0;
  /// It was killed at the wall or CPU limit.
  bool timedOut = false;
  std::string output;
  /// The last 4 KiB of standard error.
  std::string errorTail;
  double seconds = 0;

  bool succeeded() const { return !timedOut && !signal && exitStatus == 0; }
  /// How it ended, for people: `exit status 1`, `killed by SIGSEGV`, `stopped
  /// after 2 s`.
  std::string describe() const;
};

/// Runs a program to its end and collects its output. Fails only where it
/// cannot be started.
llvm::Expected<ChildOutcome> runChild(const ChildCommand &command);

/// Name of a signal, such as `SIGSEGV`.
std::string signalName(int signal);

/// A program that answers line by line. It is killed, with its group, when this
/// is destroyed. Not for use from two threads at once.
class ChildProcess {
public:
  static llvm::Expected<std::unique_ptr<ChildProcess>>
  start(const ChildCommand &command);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Sends `line` and a newline. Fails where the child no longer reads, or
  /// takes longer than `seconds` to.
  llvm::Error writeLine(llvm::StringRef line, double seconds = 10);

  /// The next line of standard output without its newline. Fails where the
  /// child ended or nothing came within `seconds`.
  llvm::Expected<std::string> readLine(double seconds);

  /// Kills the group and waits for the child. Idempotent.
  const ChildOutcome &stop();

  /// Closes the child's standard input, which asks a worker to end.
  void closeInput();

  /// The last 4 KiB of standard error that were taken in so far.
  llvm::StringRef errorTail() const { return tail; }
  int processId() const { return pid; }

private:
  ChildProcess() = default;
  friend llvm::Expected<ChildOutcome> runChild(const ChildCommand &command);

  /// Waits until output, errors or room for `input` (may be null) are there and
  /// moves what it can; false where `seconds` passed first.
  bool pump(double seconds, llvm::StringRef *input);
  void takeErrors();
  /// Whether the child ended; it stays to be waited for.
  bool hasEnded() const;

  int pid = -1;
  int inputDescriptor = -1;
  int outputDescriptor = -1;
  int errorDescriptor = -1;
  /// Output that no readLine has taken yet.
  std::string buffered;
  std::string tail;
  double startSeconds = 0;
  bool isWaitedFor = false;
  ChildOutcome outcome;
};

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_CHILDPROCESS_H
