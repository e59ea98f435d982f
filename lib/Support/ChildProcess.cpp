// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything goes through poll with a deadline: a child that stops reading, or
// fills the pipe of its errors, must not stop us.

#include "Diffuse/Support/ChildProcess.h"

#include "Diffuse/Support/Errors.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

static constexpr size_t kTailBytes = 4096;

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

static void closeDescriptor(int &descriptor) {
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
}

std::string diffuse::signalName(int signal) {
  if (const char *name = ::sigabbrev_np(signal))
    return std::string("SIG") + name;
  return "signal " + std::to_string(signal);
}

std::string ChildOutcome::describe() const {
  char text[64];
  if (timedOut)
    std::snprintf(text, sizeof(text), "stopped after %.1f s", seconds);
  else if (signal)
    std::snprintf(text, sizeof(text), "killed by %s",
                  signalName(signal).c_str());
  else
    std::snprintf(text, sizeof(text), "exit status %d", exitStatus);
  return text;
}

//===-- starting ----------------------------------------------------------===//

namespace {
/// Both ends of the three channels. Ours are closed in the child by O_CLOEXEC.
struct Channels {
  int input[2] = {-1, -1};
  int output[2] = {-1, -1};
  int error[2] = {-1, -1};

  /// Input is a socket, as a write to one whose reader died can be told not to
  /// raise SIGPIPE.
  bool open() {
    return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) == 0 &&
           ::pipe2(output, O_CLOEXEC) == 0 && ::pipe2(error, O_CLOEXEC) == 0;
  }
  ~Channels() {
    for (int *pair : {input, output, error}) {
      closeDescriptor(pair[0]);
      closeDescriptor(pair[1]);
    }
  }
};

/// Owns the two objects that posix_spawn reads.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  void connect(const Channels &channels) {
    posix_spawn_file_actions_adddup2(&actions, channels.input[0], 0);
    posix_spawn_file_actions_adddup2(&actions, channels.output[1], 1);
    posix_spawn_file_actions_adddup2(&actions, channels.error[1], 2);
  }

  /// A group of its own, and signals as a fresh program expects them.
  void isolate() {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                              POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
  }
};
} // namespace

/// posix_spawn sets no limits, so they are laid on the child once it runs;
/// neither CPU time nor memory is used up before that.
static void applyLimits(int pid, const ChildLimits &limits) {
  if (limits.cpuSeconds > 0) {
    auto seconds = static_cast<rlim_t>(std::ceil(limits.cpuSeconds));
    // The hard limit kills where SIGXCPU is ignored.
    struct rlimit limit = {seconds, seconds + 1};
    ::prlimit(pid, RLIMIT_CPU, &limit, nullptr);
  }
  if (limits.memoryBytes > 0) {
    struct rlimit limit = {limits.memoryBytes, limits.memoryBytes};
    ::prlimit(pid, RLIMIT_AS, &limit, nullptr);
  }
}

static int spawn(const ChildCommand &command, const Channels &channels,
                 int &pid) {
  SpawnSettings settings;
  settings.connect(channels);
  settings.isolate();
  std::vector<char *> arguments{const_cast<char *>(command.program.c_str())};
  for (const std::string &argument : command.arguments)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  return ::posix_spawn(&pid, command.program.c_str(), &settings.actions,
                       &settings.attributes, arguments.data(), environ);
}

llvm::Expected<std::unique_ptr<ChildProcess>>
ChildProcess::start(const ChildCommand &command) {
  Channels channels;
  if (!channels.open())
    return makeSystemError("cannot open pipes to '" + command.program + "'",
                           errno);
  std::unique_ptr<ChildProcess> child(new ChildProcess());
  child->startSeconds = now();
  if (int error = spawn(command, channels, child->pid)) {
    child->isWaitedFor = true;
    return makeSystemError("cannot start '" + command.program + "'", error);
  }
  applyLimits(child->pid, command.limits);
  std::swap(child->inputDescriptor, channels.input[1]);
  std::swap(child->outputDescriptor, channels.output[0]);
  std::swap(child->errorDescriptor, channels.error[0]);
  for (int descriptor : {child->inputDescriptor, child->outputDescriptor,
                         child->errorDescriptor})
    ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return child;
}

//===-- talking -----------------------------------------------------------===//

/// Takes what is there; false when the other end is closed.
static bool drain(int descriptor, std::string &into) {
  char chunk[65536];
  while (true) {
    ssize_t count = ::read(descriptor, chunk, sizeof(chunk));
    if (count > 0) {
      into.append(chunk, count);
      continue;
    }
    if (count < 0 && errno == EINTR)
      continue;
    return count < 0 && errno == EAGAIN;
  }
}

void ChildProcess::takeErrors() {
  if (!drain(errorDescriptor, tail))
    closeDescriptor(errorDescriptor);
  if (tail.size() > kTailBytes)
    tail.erase(0, tail.size() - kTailBytes);
}

bool ChildProcess::pump(double seconds, StringRef *input) {
  // poll passes over negative descriptors.
  pollfd channels[] = {
      {outputDescriptor, POLLIN, 0},
      {errorDescriptor, POLLIN, 0},
      {input && !input->empty() ? inputDescriptor : -1, POLLOUT, 0}};
  int timeout =
      static_cast<int>(std::ceil(std::min(std::max(seconds, 0.0), 1e6) * 1000));
  int ready = ::poll(channels, 3, timeout);
  if (ready == 0)
    return false;
  if (channels[0].revents && !drain(outputDescriptor, buffered))
    closeDescriptor(outputDescriptor);
  if (channels[1].revents)
    takeErrors();
  if (channels[2].revents) {
    ssize_t sent = ::send(inputDescriptor, input->data(), input->size(),
                          MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0)
      *input = input->drop_front(sent);
    else if (sent < 0 && errno != EAGAIN && errno != EINTR)
      closeInput();
  }
  return true;
}

llvm::Error ChildProcess::writeLine(StringRef line, double seconds) {
  std::string text = line.str() + "\n";
  StringRef rest = text;
  double end = now() + seconds;
  while (!rest.empty() && inputDescriptor >= 0)
    if (!pump(end - now(), &rest))
      return makeError("the child process takes no input");
  if (!rest.empty())
    return makeError("the child process no longer reads its input");
  return llvm::Error::success();
}

llvm::Expected<std::string> ChildProcess::readLine(double seconds) {
  double end = now() + seconds;
  size_t searched = 0;
  while (true) {
    size_t newline = buffered.find('\n', searched);
    if (newline != std::string::npos) {
      std::string line = buffered.substr(0, newline);
      buffered.erase(0, newline + 1);
      return line;
    }
    searched = buffered.size();
    if (outputDescriptor < 0)
      return makeError("the child process ended");
    if (!pump(end - now(), nullptr))
      return makeError("the child process gave no answer in time");
  }
}

void ChildProcess::closeInput() { closeDescriptor(inputDescriptor); }

//===-- ending ------------------------------------------------------------===//

bool ChildProcess::hasEnded() const {
  siginfo_t info = {};
  return ::waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

const ChildOutcome &ChildProcess::stop() {
  if (!isWaitedFor) {
    // Before the child is waited for its number cannot go to another process,
    // and the group may outlive its leader.
    ::kill(-pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    isWaitedFor = true;
    outcome.seconds = now() - startSeconds;
    if (WIFSIGNALED(status))
      outcome.signal = WTERMSIG(status);
    else
      outcome.exitStatus = WEXITSTATUS(status);
    outcome.timedOut = outcome.signal == SIGXCPU;
  }
  if (outputDescriptor >= 0)
    drain(outputDescriptor, buffered);
  if (errorDescriptor >= 0)
    takeErrors();
  closeDescriptor(inputDescriptor);
  closeDescriptor(outputDescriptor);
  closeDescriptor(errorDescriptor);
  return outcome;
}

ChildProcess::~ChildProcess() { stop(); }

llvm::Expected<ChildOutcome> diffuse::runChild(const ChildCommand &command) {
  auto started = ChildProcess::start(command);
  if (!started)
    return started.takeError();
  ChildProcess &child = **started;
  double wall = command.limits.wallSeconds;
  double end = wall > 0 ? now() + wall : HUGE_VAL;
  StringRef rest = command.input;
  while (!child.hasEnded() && now() < end) {
    if (rest.empty())
      child.closeInput();
    // Something the child started may hold the pipes open after it ended, and
    // the child may go on after it closed them, so its end is looked for often.
    bool isOpen = child.outputDescriptor >= 0 || child.errorDescriptor >= 0;
    child.pump(std::min(end - now(), isOpen ? 0.05 : 0.001), &rest);
  }
  bool timedOut = !child.hasEnded();
  ChildOutcome outcome = child.stop();
  outcome.timedOut |= timedOut;
  outcome.output = std::move(child.buffered);
  outcome.errorTail = std::move(child.tail);
  return outcome;
}
