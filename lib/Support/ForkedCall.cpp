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

/// Reads both streams until they end; false at the wall limit.
static bool readToEnd(Stream (&streams)[2], Clock::time_point start,
                      double wallSeconds) {
  while (streams[0].isOpen() || streams[1].isOpen()) {
    int wait = -1;
    if (wallSeconds > 0) {
      double left = wallSeconds - secondsSince(start);
      if (left <= 0)
        return false;
      wait = static_cast<int>(std::ceil(left * 1000));
    }
    pollfd polled[2] = {{streams[0].descriptor, POLLIN, 0},
                        {streams[1].descriptor, POLLIN, 0}};
    if (poll(polled, 2, wait) < 0) {
      if (errno == EINTR)
        continue;
      return false;
    }
    for (int stream = 0; stream < 2; ++stream)
      if (polled[stream].revents)
        streams[stream].read();
  }
  return true;
}

/// Waits for the child; past the wall limit it is killed first.
static void reap(pid_t child, bool inTime, Clock::time_point start,
                 const ChildLimits &limits, ChildOutcome &outcome) {
  int status = 0;
  bool ended = false;
  // A child may close its pipes and go on running.
  while (inTime && !ended) {
    ended = waitpid(child, &status, WNOHANG) == child;
    if (!ended && limits.wallSeconds > 0 &&
        secondsSince(start) > limits.wallSeconds)
      inTime = false;
    if (!ended)
      usleep(200);
  }
  killpg(child, SIGKILL);
  while (!ended)
    ended = waitpid(child, &status, 0) == child || errno != EINTR;
  outcome.seconds = secondsSince(start);
  if (WIFEXITED(status))
    outcome.exitStatus = WEXITSTATUS(status);
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  bool usedUp = outcome.signal == SIGXCPU ||
                (outcome.signal == SIGKILL && limits.cpuSeconds > 0 &&
                 outcome.seconds >= limits.cpuSeconds);
  outcome.timedOut = !inTime || usedUp;
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
    bool inTime = readToEnd(streams, start, limits.wallSeconds);
    reap(child, inTime, start, limits, outcome);
  }
  streams[0].close();
  streams[1].close();
  if (child < 0)
    return makeSystemError("cannot fork a child process", reason);
  return outcome;
}
