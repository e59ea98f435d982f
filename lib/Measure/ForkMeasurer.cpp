// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One fork per run costs about a millisecond and buys that nothing a candidate
// does outlives it.

#include "CandidateRun.h"
#include "Diffuse/Measure/Worker.h"
#include "Diffuse/Support/ChildProcess.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace diffuse;

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

static MeasureResult failed(FailureKind failure, std::string message) {
  MeasureResult result;
  result.failure = failure;
  result.message = std::move(message);
  return result;
}

//===-- in the child ------------------------------------------------------===//

/// The worker's standard input and output carry its protocol; candidates that
/// print, print to standard error.
static void hideProtocol() {
  int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::close(null);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void setLimits(const MeasureRequest &request) {
  struct rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  // A hang is stopped by the parent; this stops it should the parent die.
  auto seconds = static_cast<rlim_t>(std::ceil(request.limits.seconds *
                                               std::max(1u, request.threads))) +
                 1;
  struct rlimit cpu = {seconds, seconds + 1};
  ::setrlimit(RLIMIT_CPU, &cpu);
}

[[noreturn]] static void runChildSide(const MeasureRequest &request,
                                      RunBuffers &buffers, FaultNote &note,
                                      int answer, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(1);
  hideProtocol();
  setLimits(request);
  std::string text = toJson(runCandidate(request, buffers, note)).dump();
  for (size_t sent = 0; sent < text.size();) {
    ssize_t count = ::write(answer, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR)
      ::_exit(1);
    sent += std::max<ssize_t>(count, 0);
  }
  // Not exit(): what the parent registered for its end is not ours to run.
  ::_exit(0);
}

//===-- in the parent -----------------------------------------------------===//

static bool hasEnded(pid_t child) {
  siginfo_t info = {};
  return ::waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

/// Takes in what the child answers until it ends or time is up.
static void listen(pid_t child, int answer, double end, std::string &text) {
  char chunk[4096];
  while (now() < end) {
    pollfd channel = {answer, POLLIN, 0};
    // Something the candidate started may hold the pipe open.
    double patience = std::min(end - now(), 0.1);
    if (::poll(&channel, 1, std::max(1, int(patience * 1000))) <= 0) {
      if (hasEnded(child))
        return;
      continue;
    }
    ssize_t count = ::read(answer, chunk, sizeof(chunk));
    if (count > 0)
      text.append(chunk, count);
    else if (count == 0)
      return;
  }
}

/// Waits for a child that has closed its pipe; false where it does not end in
/// time.
static bool waitForEnd(pid_t child, double end) {
  while (!hasEnded(child)) {
    if (now() >= end)
      return false;
    ::usleep(100);
  }
  return true;
}

/// Ends the child and all it started; returns how the child ended.
static int endGroup(pid_t child) {
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

static MeasureResult explainSignal(int signal, const FaultNote &note) {
  if (note.signal == signal) {
    FailureKind kind = note.kind;
    if (kind != FailureKind::OutOfBounds && kind != FailureKind::RunMemory)
      kind = FailureKind::RunCrash;
    return failed(
        kind, std::string(note.text, ::strnlen(note.text, sizeof(note.text))));
  }
  if (signal == SIGXCPU)
    return failed(FailureKind::RunTimeout, "stopped at its limit of CPU time");
  if (signal == SIGKILL)
    return failed(FailureKind::RunMemory,
                  "killed by the system, which was short of memory");
  return failed(FailureKind::RunCrash, "killed by " + signalName(signal));
}

static MeasureResult explainEnd(int status, const std::string &answer,
                                const FaultNote &note) {
  if (WIFSIGNALED(status))
    return explainSignal(WTERMSIG(status), note);
  llvm::Expected<Json> json = Json::parse(answer);
  if (json && WEXITSTATUS(status) == 0) {
    llvm::Expected<MeasureResult> result = parseMeasureResult(*json);
    if (result)
      return *result;
    llvm::consumeError(result.takeError());
  } else if (!json) {
    llvm::consumeError(json.takeError());
  }
  return failed(FailureKind::RunCrash, "ended the process with exit status " +
                                           std::to_string(WEXITSTATUS(status)));
}

/// How the run of a forked child went.
static MeasureResult superviseChild(const MeasureRequest &request, pid_t child,
                                    int answer, const FaultNote &note) {
  // Both sides set it, as either may come first.
  ::setpgid(child, child);
  double begin = now(), end = begin + request.limits.seconds;
  std::string text;
  listen(child, answer, end, text);
  bool hasFinished = waitForEnd(child, end);
  int status = endGroup(child);
  MeasureResult result;
  if (hasFinished) {
    result = explainEnd(status, text, note);
  } else {
    char message[64];
    std::snprintf(message, sizeof(message), "stopped at its limit of %g s",
                  request.limits.seconds);
    result = failed(FailureKind::RunTimeout, message);
  }
  result.seconds = now() - begin;
  return result;
}

static MeasureResult forkAndSupervise(const MeasureRequest &request,
                                      RunBuffers &buffers) {
  SharedFaultNote note = allocateFaultNote();
  int pipe[2];
  if (!note || ::pipe2(pipe, O_CLOEXEC) != 0)
    return failed(FailureKind::Unmeasurable, "cannot open a pipe");
  pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::close(pipe[0]);
    runChildSide(request, buffers, *note, pipe[1], parent);
  }
  int forkError = errno;
  ::close(pipe[1]);
  MeasureResult result =
      child < 0
          ? failed(FailureKind::Unmeasurable,
                   std::string("cannot fork: ") + std::strerror(forkError))
          : superviseChild(request, child, pipe[0], *note);
  ::close(pipe[0]);
  return result;
}

ForkMeasurer::ForkMeasurer() = default;
ForkMeasurer::~ForkMeasurer() = default;

MeasureResult ForkMeasurer::measure(const MeasureRequest &request) {
  if (!buffers || !buffers->serve(request)) {
    buffers.reset();
    auto created = RunBuffers::create(request);
    if (!created)
      return failed(FailureKind::Unmeasurable,
                    llvm::toString(created.takeError()));
    buffers = std::move(*created);
  }
  return forkAndSupervise(request, *buffers);
}
