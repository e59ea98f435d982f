// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/ForkedCall.h"

#include "gtest/gtest.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
