// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/ForkedCall.h"

#include "Diffuse/Support/Errors.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace diffuse;

using Clock = std::chrono::steady_clock;

/// Bytes of standard error that are kept, from its end.
static constexpr size_t kTailBytes = 4096;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static void limitChild(const ChildLimits &limits) {
  if (limits.cpuSeconds > 0) {
    rlim_t seconds = static_cast<rlim_t>(std::ceil(limits.cpuSeconds));
    rlimit limit{seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
  }
  if (limits.memoryBytes > 0) {
    rlimit limit{limits.memoryBytes, limits.memoryBytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
}

[[noreturn]] static void runBody(llvm::function_ref<int(int)> body,
                                 const ChildLimits &limits, int output,
                                 int errors) {
  setpgid(0, 0);
  // A parent that is killed cannot reap its children: they go with it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);
  dup2(errors, STDERR_FILENO);
  limitChild(limits);
  _exit(body(output));
}

namespace {
/// The reading end of a pipe from the child.
struct Stream {
  int descriptor;
  std::string *text;
  /// Bytes kept, from the end; 0 keeps all.
  size_t keep;

  bool isOpen() const { return descriptor >= 0; }
  /// Takes in what is there; closes at the end.
  void read() {
    char bytes[16384];
    ssize_t count = ::read(descriptor, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR)
      return;
    if (count <= 0)
      return close();
    text->append(bytes, static_cast<size_t>(count));
    if (keep && text->size() > keep)
      text->erase(0, text->size() - keep);
  }
  void close() {
    if (isOpen())
      ::close(descriptor);
    descriptor = -1;
  }
};
} // namespace

/// Whether the child ended; it stays to be waited for.
static bool hasEnded(pid_t child) {
  siginfo_t info = {};
  return waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

/// Reads both streams until they end, the child ended or time is up.
static void readStreams(Stream (&streams)[2], pid_t child,
                        Clock::time_point start, double wallSeconds) {
  while (streams[0].isOpen() || streams[1].isOpen()) {
    double left = wallSeconds - secondsSince(start);
    if (left <= 0)
      return;
    pollfd polled[2] = {{streams[0].descriptor, POLLIN, 0},
                        {streams[1].descriptor, POLLIN, 0}};
    // Something the child started may hold its pipes open.
    int ready =
        poll(polled, 2, static_cast<int>(std::ceil(std::min(left, 0.1) * 1e3)));
    if (ready == 0 && hasEnded(child))
      return;
    for (int stream = 0; ready > 0 && stream < 2; ++stream)
      if (polled[stream].revents)
        streams[stream].read();
  }
}

/// Waits for the child, which may close its pipes and go on running. Past the
/// wall limit it is killed; what it started is killed in any case.
static void reap(pid_t child, Clock::time_point start, double wallSeconds,
                 ChildOutcome &outcome) {
  while (!hasEnded(child) && secondsSince(start) < wallSeconds)
    usleep(200);
  outcome.timedOut = !hasEnded(child);
  // The child is not waited for yet, so its number cannot be another's.
  killpg(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.seconds = secondsSince(start);
  if (WIFEXITED(status))
    outcome.exitStatus = WEXITSTATUS(status);
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
}

/// Whether a child that ended did so at its limit of CPU time.
static bool usedUpCpu(const ChildOutcome &outcome, const ChildLimits &limits) {
  return outcome.signal == SIGXCPU ||
         (outcome.signal == SIGKILL && limits.cpuSeconds > 0 &&
          outcome.seconds >= limits.cpuSeconds);
}

llvm::Expected<ChildOutcome>
diffuse::runForked(llvm::function_ref<int(int)> body,
                   const ChildLimits &limits) {
  int output[2], errors[2];
  if (pipe2(output, O_CLOEXEC) != 0)
    return makeSystemError("cannot make a pipe to a child process", errno);
  if (pipe2(errors, O_CLOEXEC) != 0) {
    int reason = errno;
    close(output[0]);
    close(output[1]);
    return makeSystemError("cannot make a pipe to a child process", reason);
  }
  Clock::time_point start = Clock::now();
  pid_t child = fork();
  if (child == 0)
    runBody(body, limits, output[1], errors[1]);
  int reason = errno;
  close(output[1]);
  close(errors[1]);
  ChildOutcome outcome;
  Stream streams[2] = {{output[0], &outcome.output, 0},
                       {errors[0], &outcome.errorTail, kTailBytes}};
  if (child > 0) {
    setpgid(child, child);
    double wall = limits.wallSeconds > 0 ? limits.wallSeconds : HUGE_VAL;
    readStreams(streams, child, start, wall);
    reap(child, start, wall, outcome);
    outcome.timedOut |= usedUpCpu(outcome, limits);
  }
  streams[0].close();
  streams[1].close();
  if (child < 0)
    return makeSystemError("cannot fork a child process", reason);
  return outcome;
}
