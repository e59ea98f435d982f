// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/CacheSizes.h"
#include "Diffuse/Support/FailureKind.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Support/MachineId.h"
#include "Diffuse/Support/Numerics.h"
#include "Diffuse/Support/Version.h"
#include "gtest/gtest.h"

#include "llvm/ADT/StringExtras.h"
#include <csignal>

using namespace diffuse;

TEST(Numerics, WordsAreReadBack) {
  for (Numerics mode : {Numerics::Strict, Numerics::Default, Numerics::Fast})
    EXPECT_EQ(llvm::cantFail(parseNumerics(printNumerics(mode))), mode);
  EXPECT_EQ(llvm::toString(parseNumerics("loose").takeError()),
            "unknown numerics mode 'loose'; expected strict, default or fast");
}

TEST(FailureKind, WordsAreReadBack) {
  for (int i = 0; i <= static_cast<int>(FailureKind::Unmeasurable); ++i) {
    auto kind = static_cast<FailureKind>(i);
    EXPECT_EQ(llvm::cantFail(parseFailureKind(printFailureKind(kind))), kind);
  }
  EXPECT_NE(llvm::toString(parseFailureKind("bored").takeError()), "");
}

TEST(Version, IsANumber) {
  EXPECT_TRUE(llvm::isDigit(toolVersion().front()));
  EXPECT_TRUE(llvm::isDigit(llvmVersion().front()));
}

TEST(MachineId, IsTheSameEveryTime) {
  EXPECT_EQ(machineId().size(), 16u);
  EXPECT_EQ(machineId(), machineId());
}

TEST(CacheSizes, GrowWithTheLevel) {
  EXPECT_EQ(cacheBytes(0), 0u);
  EXPECT_EQ(cacheBytes(9), 0u);
  uint64_t first = cacheBytes(1), second = cacheBytes(2);
  if (first > 0 && second > 0) {
    EXPECT_LE(first, second);
  }
}

TEST(Interrupt, FirstSignalIsNoted) {
  EXPECT_EXIT(
      {
        installInterruptHandler();
        bool before = isInterrupted();
        raise(SIGTERM);
        _exit(!before && interruptSignal() == SIGTERM ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
  EXPECT_EXIT(
      {
        installInterruptHandler();
        raise(SIGINT);
        raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}
