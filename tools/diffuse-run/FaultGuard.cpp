// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler calls nothing that is not safe in one: what it may say is
// prepared before.

#include "FaultGuard.h"

#include <ucontext.h>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

/// What the handler looks at; set while a guard lives.
static StringRef guardedLibrary;
static llvm::ArrayRef<CodeRange> guardedCode;

/// The instruction at fault, or 0 where it is not known.
static uintptr_t faultingInstruction(void *context) {
#if defined(__x86_64__)
  return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return static_cast<ucontext_t *>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

static StringRef describe(int signal) {
  switch (signal) {
  case SIGFPE:
    return "SIGFPE (integer division by zero, or one that overflows)";
  case SIGILL:
    return "SIGILL (an instruction that this machine lacks)";
  case SIGBUS:
    return "SIGBUS (access to memory that is not there)";
  default:
    return "SIGSEGV (access to memory that is not there)";
  }
}

static void say(StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(written);
  }
}

static void reportFault(int signal, siginfo_t *, void *context) {
  say("diffuse-run: error: '");
  say(guardedLibrary);
  say("' ended by ");
  say(describe(signal));
  uintptr_t at = faultingInstruction(context);
  for (const CodeRange &range : guardedCode)
    if (range.begin <= at && at < range.end) {
      say(" in ");
      say(range.what);
    }
  say("\n");
  _exit(1);
}

FaultGuard::FaultGuard(StringRef library, llvm::ArrayRef<CodeRange> code)
    : stack(new char[1 << 16]) {
  guardedLibrary = library;
  guardedCode = code;
  // The fault may be that the stack is full.
  stack_t own = {};
  own.ss_sp = stack.get();
  own.ss_size = 1 << 16;
  sigaltstack(&own, &previousStack);
  struct sigaction action = {};
  action.sa_sigaction = reportFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (auto [signal, old] : llvm::zip(kSignals, previous))
    sigaction(signal, &action, &old);
}

FaultGuard::~FaultGuard() {
  for (auto [signal, old] : llvm::zip(kSignals, previous))
    sigaction(signal, &old, nullptr);
  sigaltstack(&previousStack, nullptr);
}
