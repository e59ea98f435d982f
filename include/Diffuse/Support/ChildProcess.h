// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs run beside this one under limits. Each leads a process group of its
// own, so that all it started can be killed with it, unless it is to be killed
// with the group of its caller.

#ifndef DIFFUSE_SUPPORT_CHILDPROCESS_H
#define DIFFUSE_SUPPORT_CHILDPROCESS_H

#include "Diffuse/Support/Descriptor.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
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
  /// Where it and what it starts put temporary files (TMPDIR): a folder that is
  /// removed with all that is in it, so that they may be killed. Empty: where
  /// this process puts its own.
  std::string temporaryFolder;
  /// Lead a group of its own. Without, the child belongs to the group of the
  /// caller and dies with it, but a limit kills the child alone.
  bool ownGroup = true;
  /// Asked now and then; once it is true runChild kills the child, and nothing
  /// is waited for any more (readLine, writeLine).
  std::function<bool()> interrupted;
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

/// Runs a program to its end and collects its output. It is killed when this
/// process dies. Fails only where it cannot be started.
llvm::Expected<ChildOutcome> runChild(const ChildCommand &command);

/// Name of a signal, such as `SIGSEGV`.
std::string signalName(int signal);

struct ChildSetup;

/// A program that answers line by line. It is killed, with its group, when this
/// is destroyed; when this process is killed, the end of its input tells it.
/// Not for use from two threads at once.
class ChildProcess {
public:
  static llvm::Expected<std::unique_ptr<ChildProcess>>
  start(const ChildCommand &command);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Sends `line` and a newline. Fails where the child no longer reads, or
  /// takes longer than `seconds` to, or where its command was interrupted.
  llvm::Error writeLine(llvm::StringRef line, double seconds = 10);

  /// The next line of standard output without its newline. Fails where the
  /// child ended, nothing came within `seconds`, or its command was
  /// interrupted.
  llvm::Expected<std::string> readLine(double seconds);

  /// Kills the group and waits for the child. Idempotent.
  const ChildOutcome &stop();

  /// Closes the child's standard input, which asks a worker to end.
  void closeInput();

  /// The last 4 KiB of standard error that were taken in so far.
  llvm::StringRef errorTail() const { return tail; }
  int processId() const { return pid; }

private:
  friend llvm::Expected<ChildOutcome> runChild(const ChildCommand &command);
  friend llvm::Expected<ChildOutcome>
  runForked(llvm::function_ref<int(int output)> body, const ChildLimits &limits,
            int reader);

  ChildProcess(int pid, bool leadsGroup);
  static llvm::Expected<std::unique_ptr<ChildProcess>>
  start(const ChildCommand &command, const ChildSetup &setup);

  /// Collects the output until the child ended, its wall limit is over or
  /// `abandoned`, asked now and then, says that nobody wants it any more, and
  /// stops it.
  ChildOutcome runToEnd(llvm::StringRef input, const ChildLimits &limits,
                        llvm::function_ref<bool()> abandoned);
  /// pump until `end` or an interruption; an error says which it was, with
  /// `late` for the former.
  llvm::Error pumpUntil(double end, llvm::StringRef *input,
                        llvm::StringRef late);
  /// Waits until output, errors or room for `input` (may be null) are there and
  /// moves what it can; false where `seconds` passed first.
  bool pump(double seconds, llvm::StringRef *input);
  void takeErrors();
  /// Whether the child ended; it stays to be waited for.
  bool hasEnded() const;

  int pid;
  bool leadsGroup;
  Descriptor input;
  Descriptor output;
  Descriptor error;
  /// Output that no readLine has taken yet.
  std::string buffered;
  std::string tail;
  double startSeconds;
  std::function<bool()> interrupted;
  bool isWaitedFor = false;
  ChildOutcome outcome;
};

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_CHILDPROCESS_H
