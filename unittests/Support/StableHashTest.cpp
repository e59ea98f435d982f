// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/StableHash.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace diffuse;

// Hashes are stored in records for years: these digits must never change.
TEST(StableHash, DigitsAreFixed) {
  EXPECT_EQ(stableHash("").str(), "99aa06d3014798d86001c324468d497f");
  StableHasher hasher;
  hasher.addString("conv").addInteger(-1).addDouble(0.5).addBool(true);
  EXPECT_EQ(hasher.finish().str(), "2d1e8a5853ad37f97ee47c0bbeb79397");
}

TEST(StableHash, PrintedHashIsReadBack) {
  StableHash hash{0x0123456789abcdefull, 5};
  EXPECT_EQ(hash.str(), "0123456789abcdef0000000000000005");
  EXPECT_EQ(StableHash::parse(hash.str()), hash);
  EXPECT_EQ(StableHash::parse("0123"), std::nullopt);
  EXPECT_EQ(StableHash::parse(std::string(32, 'G')), std::nullopt);
}

TEST(StableHash, SequencesDoNotRunIntoEachOther) {
  StableHasher one, other;
  one.addString("ab").addString("c");
  other.addString("a").addString("bc");
  EXPECT_NE(one.finish(), other.finish());

  StableHasher lists, split;
  lists.addIntegers({1, 2}).addIntegers({});
  split.addIntegers({1}).addIntegers({2});
  EXPECT_NE(lists.finish(), split.finish());
}

TEST(StableHash, FloatsAreTakenByBits) {
  StableHasher positive, negative;
  positive.addFloat(0.0f);
  negative.addFloat(-0.0f);
  EXPECT_NE(positive.finish(), negative.finish());
  StableHasher nan, sameNan;
  nan.addDouble(std::nan("1"));
  sameNan.addDouble(std::nan("1"));
  EXPECT_EQ(nan.finish(), sameNan.finish());
}
