// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/CompareModules.h"
#include "gtest/gtest.h"

using namespace diffuse;
using Names = std::vector<std::string>;

TEST(InNetworkTimes, CallsOfOneSubgraphCountTogether) {
  std::vector<CallTime> byDefault = {{"a", 10}, {"b", 10}, {"a", 10}};
  // The first call of `a` is slower, both together are faster.
  std::vector<CallTime> tuned = {{"a", 11}, {"b", 12}, {"a", 5}};
  EXPECT_EQ(findSlower(byDefault, tuned, 0.01), Names{"b"});
}

TEST(InNetworkTimes, LossesWithinNoiseAreNone) {
  std::vector<CallTime> byDefault = {{"b", 100}, {"a", 100}, {"c", 100}};
  std::vector<CallTime> tuned = {{"b", 100.5}, {"a", 102}, {"c", 100}};
  EXPECT_EQ(findSlower(byDefault, tuned, 0.01), (Names{"a"}));
  EXPECT_EQ(findSlower(byDefault, tuned, 0.001), (Names{"b", "a"}));
}

TEST(InNetworkTimes, ModulesAreSlowerByMoreThanNoise) {
  EXPECT_FALSE(isSlower({100.9, 101, 101}, {100, 100, 100}));
  EXPECT_TRUE(isSlower({101.1, 101.2, 101.3}, {100, 100, 100}));
  // Two rounds with the same code differ as much.
  EXPECT_FALSE(isSlower({104, 110, 105}, {100, 105, 130}));
  EXPECT_FALSE(isSlower({104, 109, 110}, {100, 100, 100}));
  // One disturbed round tells nothing of the others.
  EXPECT_TRUE(isSlower({104, 104, 104}, {100, 200, 100}));
  EXPECT_TRUE(isSlower({102}, {100}));
  EXPECT_FALSE(isSlower({100.9}, {100}));
}

TEST(InNetworkTimes, NothingIsSaidOfWhatOneModuleLacks) {
  EXPECT_TRUE(findSlower({}, {{{"a", 1}}}, 0.01).empty());
  EXPECT_TRUE(findSlower({{{"a", 1}}}, {}, 0.01).empty());
}

TEST(InNetworkTimes, EveryCallKeepsItsLeastTime) {
  std::vector<CallTime> times;
  takeLesser(times, {{{"a", 3}, {"b", 2}}});
  takeLesser(times, {{{"a", 1}, {"b", 5}}});
  EXPECT_EQ(times[0].micros, 1);
  EXPECT_EQ(times[1].micros, 2);
}

TEST(InNetworkTimes, ReadsTheProfileOfARun) {
  auto times = parseProfile(
      R"([{"call":0,"median_us":3,"min_us":2.5,"runs":9,"subgraph":"a"}])");
  ASSERT_TRUE(bool(times));
  EXPECT_EQ(times->front().subgraph, "a");
  EXPECT_EQ(times->front().micros, 2.5);
  for (const char *text : {"{}", "[{\"subgraph\":\"a\"}]", "["}) {
    auto broken = parseProfile(text);
    EXPECT_FALSE(bool(broken)) << text;
    llvm::consumeError(broken.takeError());
  }
}
