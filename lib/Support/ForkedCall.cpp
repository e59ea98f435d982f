// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/ForkedCall.h"

#include "ChildStart.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace diffuse;

/// Whether the reader of the pipe or socket `descriptor` is gone.
static bool hasNoReader(int descriptor) {
  pollfd polled = {descriptor, 0, 0};
  return descriptor >= 0 && ::poll(&polled, 1, 0) > 0 &&
         (polled.revents & (POLLERR | POLLHUP));
}

/// Standard input is empty in the child; what it prints goes the way of its
/// errors, to `error`.
static void redirectStreams(int error) {
  int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::close(null);
  ::dup2(error, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
}

llvm::Expected<ChildOutcome>
diffuse::runForked(llvm::function_ref<int(int)> body, const ChildLimits &limits,
                   int reader) {
  llvm::Expected<Channel> output = Channel::fromChild();
  if (!output)
    return output.takeError();
  llvm::Expected<Channel> error = Channel::fromChild();
  if (!error)
    return error.takeError();
  ChildSetup setup;
  setup.limits = limits;
  setup.whenParentDies = WhenParentDies::KillGroup;
  llvm::Expected<pid_t> pid = forkChild(setup, [&] {
    redirectStreams(error->theirs.get());
    return body(output->theirs.get());
  });
  if (!pid)
    return pid.takeError();
  output->theirs.close();
  error->theirs.close();
  ChildProcess child(*pid, setup.ownGroup);
  child.output = std::move(output->ours);
  child.error = std::move(error->ours);
  for (const Descriptor *end : {&child.output, &child.error})
    ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  return child.runToEnd("", limits, [&] { return hasNoReader(reader); });
}
