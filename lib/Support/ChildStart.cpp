// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// posix_spawn sets neither limits nor what follows the death of the parent, so
// programs start by a fork whose child makes async-signal-safe calls only until
// it becomes the program. Other threads may hold any lock meanwhile.

#include "ChildStart.h"

#include "Diffuse/Support/Errors.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace diffuse;

llvm::Expected<Channel> Channel::toChild() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return makeSystemError("cannot make a pipe to a child process", errno);
  return Channel{Descriptor(ends[1]), Descriptor(ends[0])};
}

llvm::Expected<Channel> Channel::fromChild() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return makeSystemError("cannot make a pipe to a child process", errno);
  return Channel{Descriptor(ends[0]), Descriptor(ends[1])};
}

//===-- in the child ------------------------------------------------------===//

static void setLimits(const ChildLimits &limits) {
  if (limits.cpuSeconds > 0) {
    auto seconds = static_cast<rlim_t>(std::ceil(limits.cpuSeconds));
    // The hard limit kills where SIGXCPU is ignored.
    struct rlimit limit = {seconds, seconds + 1};
    ::setrlimit(RLIMIT_CPU, &limit);
  }
  if (limits.memoryBytes > 0) {
    struct rlimit limit = {limits.memoryBytes, limits.memoryBytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  struct rlimit noCore = {0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
}

/// This process is the leader of the group.
static void killOwnGroup(int) { ::kill(0, SIGKILL); }

static void followParent(WhenParentDies what, pid_t parent) {
  if (what == WhenParentDies::GoOn)
    return;
  bool group = what == WhenParentDies::KillGroup;
  if (group)
    std::signal(SIGHUP, killOwnGroup);
  ::prctl(PR_SET_PDEATHSIG, group ? SIGHUP : SIGKILL);
  // It may have died before.
  if (::getppid() != parent)
    ::_exit(1);
}

static void resetSignals() {
  for (int signal = 1; signal < NSIG; ++signal)
    std::signal(signal, signal == SIGINT ? SIG_IGN : SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Makes `from` the standard descriptor `to`, which stays open in the program.
static void connect(int from, int to) {
  if (from == to)
    ::fcntl(to, F_SETFD, 0);
  else
    ::dup2(from, to);
}

//===-- in the parent -----------------------------------------------------===//

llvm::Expected<pid_t> diffuse::forkChild(const ChildSetup &setup,
                                         llvm::function_ref<int()> body) {
  pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child < 0)
    return makeSystemError("cannot fork a child process", errno);
  if (child == 0) {
    if (setup.ownGroup)
      ::setpgid(0, 0);
    std::signal(SIGINT, SIG_IGN);
    followParent(setup.whenParentDies, parent);
    setLimits(setup.limits);
    ::_exit(body());
  }
  // Here too: whoever is first, the group is there when this returns.
  if (setup.ownGroup)
    ::setpgid(child, child);
  return child;
}

llvm::Expected<pid_t> diffuse::forkProgram(const ChildSetup &setup,
                                           const ChildCommand &command,
                                           const Channel (&channels)[3]) {
  std::vector<char *> arguments{const_cast<char *>(command.program.c_str())};
  for (const std::string &argument : command.arguments)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  std::string temporaryFolder = "TMPDIR=" + command.temporaryFolder;
  std::vector<char *> environment;
  for (char **variable = environ; *variable; ++variable)
    if (command.temporaryFolder.empty() ||
        !llvm::StringRef(*variable).starts_with("TMPDIR="))
      environment.push_back(*variable);
  if (!command.temporaryFolder.empty())
    environment.push_back(temporaryFolder.data());
  environment.push_back(nullptr);
  // Closed by exec; otherwise the child says here why it could not become the
  // program.
  llvm::Expected<Channel> failure = Channel::fromChild();
  if (!failure)
    return failure.takeError();
  llvm::Expected<pid_t> child = forkChild(setup, [&] {
    resetSignals();
    for (int standard = 0; standard < 3; ++standard)
      connect(channels[standard].theirs.get(), standard);
    ::execve(command.program.c_str(), arguments.data(), environment.data());
    int reason = errno;
    (void)!::write(failure->theirs.get(), &reason, sizeof(reason));
    return 127;
  });
  if (!child)
    return child;
  failure->theirs.close();
  int reason = 0;
  ssize_t count;
  do
    count = ::read(failure->ours.get(), &reason, sizeof(reason));
  while (count < 0 && errno == EINTR);
  if (count == sizeof(reason)) {
    ::waitpid(*child, nullptr, 0);
    return makeSystemError("cannot start '" + command.program + "'", reason);
  }
  return child;
}
