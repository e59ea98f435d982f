// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler may do little more than set a flag, and the flag must be visible to
// it: the one mutable global of the libraries.

#include "Diffuse/Support/Interrupt.h"

#include <csignal>

static volatile std::sig_atomic_t notedSignal = 0;

static void noteSignal(int signal) {
  notedSignal = signal;
  // A second Ctrl-C means it.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void diffuse::installInterruptHandler() {
  struct sigaction action = {};
  action.sa_handler = noteSignal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int diffuse::interruptSignal() { return notedSignal; }
