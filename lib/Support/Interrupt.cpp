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
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // Under nohup a terminal may close.
    if (signal != SIGHUP || before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
}

void diffuse::ignoreFileSizeSignal() { std::signal(SIGXFSZ, SIG_IGN); }

/// Those that are held, unless they are ignored anyway: while they are held
/// they count as pending all the same.
static sigset_t signalsToHold() {
  sigset_t held;
  sigemptyset(&held);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN)
      sigaddset(&held, signal);
  }
  return held;
}

diffuse::HeldSignals::HeldSignals() {
  sigset_t held = signalsToHold();
  pthread_sigmask(SIG_BLOCK, &held, &before);
}

diffuse::HeldSignals::~HeldSignals() {
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool diffuse::HeldSignals::isAnyPending() {
  sigset_t pending, held = signalsToHold();
  sigpending(&pending);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    if (sigismember(&pending, signal) && sigismember(&held, signal))
      return true;
  return false;
}

int diffuse::interruptSignal() { return notedSignal; }
