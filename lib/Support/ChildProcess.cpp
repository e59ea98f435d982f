// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything goes through poll with a deadline: a child that stops reading, or
// fills the pipe of its errors, must not stop us.

#include "Diffuse/Support/ChildProcess.h"

#include "ChildStart.h"
#include "Diffuse/Support/Errors.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

static constexpr size_t kTailBytes = 4096;
/// Seconds after which a signal that came just before poll is noticed.
static constexpr double kGlanceSeconds = 0.1;

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
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

ChildProcess::ChildProcess(int pid, bool leadsGroup)
    : pid(pid), leadsGroup(leadsGroup), startSeconds(now()) {}

llvm::Expected<std::unique_ptr<ChildProcess>>
ChildProcess::start(const ChildCommand &command, const ChildSetup &setup) {
  Channel channels[3];
  for (Channel &channel : channels) {
    bool isInput = &channel == channels;
    auto opened = isInput ? Channel::toChild() : Channel::fromChild();
    if (!opened)
      return opened.takeError();
    channel = std::move(*opened);
  }
  llvm::Expected<pid_t> pid = forkProgram(setup, command, channels);
  if (!pid)
    return pid.takeError();
  std::unique_ptr<ChildProcess> child(new ChildProcess(*pid, setup.ownGroup));
  child->input = std::move(channels[0].ours);
  child->output = std::move(channels[1].ours);
  child->error = std::move(channels[2].ours);
  for (const Descriptor *end : {&child->input, &child->output, &child->error})
    ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  return child;
}

llvm::Expected<std::unique_ptr<ChildProcess>>
ChildProcess::start(const ChildCommand &command) {
  ChildSetup setup;
  setup.limits = command.limits;
  setup.ownGroup = command.ownGroup;
  auto child = start(command, setup);
  if (child)
    (*child)->interrupted = command.interrupted;
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
  if (!drain(error.get(), tail))
    error.close();
  if (tail.size() > kTailBytes)
    tail.erase(0, tail.size() - kTailBytes);
}

bool ChildProcess::pump(double seconds, StringRef *toSend) {
  // poll passes over negative descriptors.
  pollfd channels[] = {
      {output.get(), POLLIN, 0},
      {error.get(), POLLIN, 0},
      {toSend && !toSend->empty() ? input.get() : -1, POLLOUT, 0}};
  int timeout =
      static_cast<int>(std::ceil(std::min(std::max(seconds, 0.0), 1e6) * 1000));
  int ready = ::poll(channels, 3, timeout);
  if (ready == 0)
    return false;
  if (channels[0].revents && !drain(output.get(), buffered))
    output.close();
  if (channels[1].revents)
    takeErrors();
  if (channels[2].revents) {
    ssize_t sent = ::send(input.get(), toSend->data(), toSend->size(),
                          MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0)
      *toSend = toSend->drop_front(sent);
    else if (sent < 0 && errno != EAGAIN && errno != EINTR)
      closeInput();
  }
  return true;
}

llvm::Error ChildProcess::pumpUntil(double end, StringRef *toSend,
                                    StringRef late) {
  while (true) {
    if (interrupted && interrupted())
      return makeError("interrupted");
    double left = end - now();
    if (pump(interrupted ? std::min(left, kGlanceSeconds) : left, toSend))
      return llvm::Error::success();
    if (now() >= end)
      return makeError(late);
  }
}

llvm::Error ChildProcess::writeLine(StringRef line, double seconds) {
  std::string text = line.str() + "\n";
  StringRef rest = text;
  double end = now() + seconds;
  while (!rest.empty() && input.isOpen())
    if (llvm::Error error =
            pumpUntil(end, &rest, "the child process takes no input"))
      return error;
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
    if (!output.isOpen())
      return makeError("the child process ended");
    if (llvm::Error error =
            pumpUntil(end, nullptr, "the child process gave no answer in time"))
      return error;
  }
}

void ChildProcess::closeInput() { input.close(); }

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
    ::kill(leadsGroup ? -pid : pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    isWaitedFor = true;
    outcome.seconds = now() - startSeconds;
    if (WIFSIGNALED(status))
      outcome.signal = WTERMSIG(status);
    else
      outcome.exitStatus = WEXITSTATUS(status);
  }
  if (output.isOpen())
    drain(output.get(), buffered);
  if (error.isOpen())
    takeErrors();
  input.close();
  output.close();
  error.close();
  return outcome;
}

ChildProcess::~ChildProcess() { stop(); }

/// Whether a child that ended did so at its limit of CPU time.
static bool usedUpCpu(const ChildOutcome &outcome, const ChildLimits &limits) {
  return outcome.signal == SIGXCPU ||
         (outcome.signal == SIGKILL && limits.cpuSeconds > 0 &&
          outcome.seconds >= limits.cpuSeconds);
}

ChildOutcome ChildProcess::runToEnd(StringRef toSend, const ChildLimits &limits,
                                    llvm::function_ref<bool()> abandoned) {
  double wall = limits.wallSeconds;
  double end = wall > 0 ? now() + wall : HUGE_VAL;
  while (!hasEnded() && now() < end && !abandoned()) {
    if (toSend.empty())
      closeInput();
    // Something the child started may hold the pipes open after it ended, and
    // the child may go on after it closed them, so its end is looked for often.
    bool isOpen = output.isOpen() || error.isOpen();
    pump(std::min(end - now(), isOpen ? 0.05 : 0.001), &toSend);
  }
  bool timedOut = !hasEnded() && now() >= end;
  ChildOutcome result = stop();
  result.timedOut = timedOut || usedUpCpu(result, limits);
  result.output = std::move(buffered);
  result.errorTail = std::move(tail);
  return result;
}

llvm::Expected<ChildOutcome> diffuse::runChild(const ChildCommand &command) {
  ChildSetup setup;
  setup.limits = command.limits;
  setup.ownGroup = command.ownGroup;
  setup.whenParentDies = WhenParentDies::Kill;
  auto child = ChildProcess::start(command, setup);
  if (!child)
    return child.takeError();
  return (*child)->runToEnd(command.input, command.limits, [&] {
    return command.interrupted && command.interrupted();
  });
}
