// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler may do little more than set a flag, and the flag must be visible to
// it: the one mutable global of the libraries.

#include "Diffuse/Support/Interrupt.h"

#include <csignal>
#include <initializer_list>

static volatile std::sig_atomic_t notedSignal = 0;

static void noteSignal(int signal) {
  notedSignal = signal;
  // A second Ctrl-C means it. The others come twice by themselves: a terminal
  // that closes and its shell both send SIGHUP.
  if (signal == SIGINT)
    std::signal(SIGINT, SIG_DFL);
}

void diffuse::installInterruptHandler() {
  struct sigaction action = {};
  action.sa_handler = noteSignal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // Under nohup a terminal may close.
    if (signal != SIGHUP || before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
}

void diffuse::ignoreFileSizeSignal() { std::signal(SIGXFSZ, SIG_IGN); }

int diffuse::interruptSignal() { return notedSignal; }
