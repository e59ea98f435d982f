// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/ForkedCall.h"

#include "Processes.h"
#include "gtest/gtest.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace diffuse;

static ChildOutcome call(llvm::function_ref<int(int)> body,
                         double seconds = 60) {
  ChildLimits limits;
  limits.wallSeconds = seconds;
  return llvm::cantFail(runForked(body, limits));
}

TEST(ForkedCall, OutputErrorsAndStatusComeBack) {
  int here = 1;
  ChildOutcome outcome = call([&](int output) {
    here = 2;
    EXPECT_EQ(write(output, "out", 3), 3);
    std::fputs("err", stderr);
    return 7;
  });
  EXPECT_EQ(outcome.output, "out");
  EXPECT_EQ(outcome.errorTail, "err");
  EXPECT_EQ(outcome.exitStatus, 7);
  EXPECT_EQ(here, 1) << "memory is not shared";
}

TEST(ForkedCall, WhatItPrintsStaysOutOfOurOutput) {
  ChildOutcome outcome = call([](int) {
    char byte;
    return write(STDOUT_FILENO, "print", 5) == 5 &&
                   read(STDIN_FILENO, &byte, 1) == 0
               ? 0
               : 1;
  });
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.errorTail, "print");
}

TEST(ForkedCall, CrashStaysInTheChild) {
  EXPECT_EQ(call([](int) { return raise(SIGUSR1); }).signal, SIGUSR1);
}

TEST(ForkedCall, HangIsStopped) {
  auto hang = [](int output) {
    close(output);
    close(2);
    while (true)
      pause();
    return 0;
  };
  EXPECT_TRUE(call(hang, 0.1).timedOut);
}

TEST(ForkedCall, CpuIsLimited) {
  ChildLimits limits;
  limits.cpuSeconds = 1;
  auto spin = [](int) {
    for (volatile int i = 0;; ++i) {
    }
    return 0;
  };
  EXPECT_TRUE(llvm::cantFail(runForked(spin, limits)).timedOut);
}

TEST(ForkedCall, MemoryIsLimited) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer needs terabytes of address space";
#endif
  ChildLimits limits;
  limits.memoryBytes = uint64_t(1) << 30;
  ChildOutcome outcome = llvm::cantFail(runForked(
      [](int) {
        void *memory = std::malloc(size_t(2) << 30);
        return memory ? 1 : 5;
      },
      limits));
  EXPECT_EQ(outcome.exitStatus, 5);
}

TEST(ForkedCall, ProcessesLeftBehindAreNotWaitedFor) {
  ChildOutcome outcome = call([](int output) {
    if (fork() == 0)
      while (true)
        pause();
    return 0;
  });
  EXPECT_TRUE(outcome.succeeded());
}

/// Writes its process number to `output` and waits for ever.
static int announceAndWait(int output) {
  std::string text = std::to_string(getpid()) + "\n";
  while (write(output, text.data(), text.size()) > 0)
    while (true)
      pause();
  return 0;
}

TEST(ForkedCall, ProgramsInItsGroupAreStoppedWithIt) {
  ChildOutcome outcome = call(
      [](int output) {
        ChildCommand command;
        command.program = "/bin/sh";
        std::string pipe = "/proc/" + std::to_string(getpid()) + "/fd/" +
                           std::to_string(output);
        command.arguments = {"-c", "sleep 1000 & echo $! >" + pipe + "; wait"};
        command.ownGroup = false;
        return runChild(command) ? 0 : 1;
      },
      0.5);
  EXPECT_TRUE(outcome.timedOut);
  ASSERT_FALSE(outcome.output.empty());
  EXPECT_TRUE(waitUntilGone(std::stoi(outcome.output)));
}

TEST(ForkedCall, ChildAndItsGroupDieWithTheParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t parent = fork();
  if (parent == 0) {
    (void)!runForked(
        [&](int) {
          if (fork() == 0)
            return announceAndWait(ends[1]);
          return announceAndWait(ends[1]);
        },
        {});
    _exit(0);
  }
  close(ends[1]);
  FILE *numbers = fdopen(ends[0], "r");
  int child = 0, grandchild = 0;
  ASSERT_EQ(std::fscanf(numbers, "%d %d", &child, &grandchild), 2);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(waitUntilGone(child));
  EXPECT_TRUE(waitUntilGone(grandchild));
  std::fclose(numbers);
}

TEST(ForkedCall, StopsWhenNobodyTakesTheAnswer) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  ChildLimits limits;
  limits.wallSeconds = 500;
  ChildOutcome outcome =
      llvm::cantFail(runForked(announceAndWait, limits, ends[1]));
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_FALSE(outcome.timedOut);
  close(ends[1]);
}
