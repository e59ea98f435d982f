// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/Budget.h"
#include "gtest/gtest.h"

using namespace diffuse;

TEST(Budget, ReadsTimesAndCounts) {
  EXPECT_EQ(llvm::cantFail(parseBudget("90s")).seconds, 90.0);
  EXPECT_EQ(llvm::cantFail(parseBudget("1.5m")).seconds, 90.0);
  EXPECT_EQ(llvm::cantFail(parseBudget("2h")).seconds, 7200.0);
  Budget count = llvm::cantFail(parseBudget("500"));
  EXPECT_EQ(count.measurements, 500u);
  EXPECT_FALSE(count.seconds);
}

TEST(Budget, EveryZeroMeasuresNothing) {
  for (llvm::StringRef text : {"0", "0s", "0m"})
    EXPECT_TRUE(llvm::cantFail(parseBudget(text)).isZero()) << text.str();
}

TEST(Budget, RefusesEverythingElse) {
  for (llvm::StringRef text :
       {"", "-5", "-5s", "s", "90x", "1e30s", "nans", "9 0s", "3000000h"}) {
    llvm::Expected<Budget> budget = parseBudget(text);
    EXPECT_FALSE(bool(budget)) << text.str();
    if (budget)
      continue;
    EXPECT_NE(llvm::toString(budget.takeError()).find("'" + text.str() + "'"),
              std::string::npos);
  }
}
