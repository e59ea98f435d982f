// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler runs on a stack of its own and calls nothing that could have been
// interrupted halfway.

#include "Diffuse/Support/StackOverflow.h"

#include <csignal>
#include <cstdint>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/// Bounds of the stack, with the guard below it. A handler has no argument to
/// pass them by.
static uintptr_t stackTop = 0, stackBottom = 0;

static void handleFault(int signal, siginfo_t *info, void *) {
  // Sent by somebody; a fault would strike again by itself. The action is the
  // default one again (SA_RESETHAND).
  if (info->si_code <= 0) {
    ::raise(signal);
    return;
  }
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (address < stackBottom || address >= stackTop)
    return;
  static constexpr char text[] = "the stack overflowed\n";
  (void)!::write(STDERR_FILENO, text, sizeof(text) - 1);
}

void diffuse::reportStackOverflow() {
  constexpr size_t handlerBytes = 64 << 10;
  constexpr uintptr_t guardBytes = 1 << 20;
  struct rlimit limit = {};
  ::getrlimit(RLIMIT_STACK, &limit);
  stackTop = reinterpret_cast<uintptr_t>(&limit);
  // Where the stack may grow without limit, memory is what runs out.
  uintptr_t bytes = limit.rlim_cur == RLIM_INFINITY ? 0 : limit.rlim_cur;
  stackBottom =
      stackTop > bytes + guardBytes ? stackTop - bytes - guardBytes : 0;
  stack_t handlerStack = {};
  handlerStack.ss_sp = ::mmap(nullptr, handlerBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (handlerStack.ss_sp == MAP_FAILED)
    return;
  handlerStack.ss_size = handlerBytes;
  ::sigaltstack(&handlerStack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handleFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, nullptr);
}
