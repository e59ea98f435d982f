// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Measure/ReservedCore.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <optional>
#include <set>
#include <vector>

using namespace diffuse;
using Hold = ReservedCore::Hold;

namespace {
/// Locks of this test alone.
class ReservedCoreTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("cores", temporary));
    setenv("TMPDIR", temporary.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    llvm::sys::fs::remove_directories(temporary);
  }

  llvm::SmallString<128> temporary;
};
} // namespace

TEST_F(ReservedCoreTest, EachHolderHasItsOwnUntilAllAreTaken) {
  std::vector<ReservedCore> holders;
  std::set<int> cores;
  do {
    holders.push_back(ReservedCore::take());
    ASSERT_GE(holders.back().number(), 0);
    cores.insert(holders.back().number());
  } while (holders.back().hold() == Hold::Alone);
  EXPECT_EQ(holders.back().hold(), Hold::Shared);
  EXPECT_EQ(cores.size(), holders.size() - 1);
  EXPECT_EQ(holders.back().number(), holders.front().number())
      << "the last core is shared";
}

TEST_F(ReservedCoreTest, CoreIsFreeAgain) {
  std::optional<ReservedCore> first = ReservedCore::take();
  int number = first->number();
  EXPECT_EQ(first->hold(), Hold::Alone);
  first.reset();
  ReservedCore next = ReservedCore::take();
  EXPECT_EQ(next.number(), number);
  EXPECT_EQ(next.hold(), Hold::Alone);
}

TEST_F(ReservedCoreTest, CoresBesideAreThoseThatNobodyMeasuresOn) {
  ReservedCore mine = ReservedCore::take();
  EXPECT_FALSE(llvm::is_contained(coresBeside(mine.number()), mine.number()));
  std::optional<ReservedCore> other = ReservedCore::take();
  if (other->hold() == Hold::Alone) {
    int taken = other->number();
    EXPECT_FALSE(llvm::is_contained(coresBeside(mine.number()), taken));
    other.reset();
    EXPECT_TRUE(llvm::is_contained(coresBeside(mine.number()), taken));
  }
  std::vector<ReservedCore> others;
  do
    others.push_back(ReservedCore::take());
  while (others.back().hold() == Hold::Alone);
  EXPECT_TRUE(coresBeside(others.back().number()).empty());
}

TEST_F(ReservedCoreTest, WithoutLocksNothingIsKnown) {
  setenv("TMPDIR", "/no/such/folder", 1);
  ReservedCore core = ReservedCore::take();
  EXPECT_GE(core.number(), 0);
  EXPECT_EQ(core.hold(), Hold::Unknown);
}
