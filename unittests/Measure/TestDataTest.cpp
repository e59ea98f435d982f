// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Measure/TestData.h"

#include "Diffuse/Support/ElementType.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace diffuse;
using Kind = BoundaryArgument::Kind;

static std::vector<double> fill(const BoundaryArgument &argument,
                                uint64_t seed = 1, unsigned position = 0) {
  ElementType type = llvm::cantFail(parseElementType(argument.elementType));
  std::vector<char> bytes(llvm::cantFail(countBytes(argument)));
  llvm::cantFail(fillArgument(argument, seed, position, bytes.data()));
  std::vector<double> values;
  for (size_t place = 0; place < bytes.size(); place += type.partBytes())
    values.push_back(loadPart(type, &bytes[place]));
  return values;
}

static double least(const std::vector<double> &values) {
  return *std::min_element(values.begin(), values.end());
}

static double greatest(const std::vector<double> &values) {
  return *std::max_element(values.begin(), values.end());
}

static double variance(const std::vector<double> &values) {
  double sum = 0, squares = 0;
  for (double value : values) {
    sum += value;
    squares += value * value;
  }
  return squares / values.size() - std::pow(sum / values.size(), 2);
}

// Measurements of years are compared by this data: it must never change.
TEST(TestData, ValuesAreFixed) {
  std::vector<double> values = fill({Kind::Input, "f32", {3}, "x"}, 7, 2);
  for (double &value : values)
    value = std::ldexp(value, 24);
  EXPECT_EQ(values, (std::vector<double>{-14493916, 4416912, 14472706}));
}

TEST(TestData, InputsSpreadOverTheUnitInterval) {
  for (llvm::StringRef type : {"f16", "bf16", "f32", "f64", "complex<f32>"}) {
    auto values = fill({Kind::Input, type.str(), {100, 100}, "x"});
    EXPECT_GE(least(values), -1);
    EXPECT_LE(greatest(values), 1);
    EXPECT_NEAR(variance(values), 1.0 / 3, 0.02) << type.str();
  }
}

TEST(TestData, WeightsAreScaledByFanIn) {
  auto weights = [](std::vector<int64_t> extents) {
    return BoundaryArgument{Kind::Parameter, "f32", std::move(extents), "w"};
  };
  EXPECT_NEAR(variance(fill(weights({64, 32, 3, 3}))) * 288, 1, 0.1);
  EXPECT_NEAR(variance(fill(weights({3, 3, 32, 64}))) * 288, 1, 0.1);
  EXPECT_NEAR(variance(fill(weights({256, 128}))) * 256, 1, 0.1);
  BoundaryArgument known = weights({256, 128});
  known.fanIn = 128;
  EXPECT_NEAR(variance(fill(known)) * 128, 1, 0.1);
}

TEST(TestData, VectorsOfParametersArePositive) {
  auto values = fill({Kind::Parameter, "f32", {1000}, "b"});
  EXPECT_GE(least(values), 0.5);
  EXPECT_LE(greatest(values), 1.5);
}

TEST(TestData, IntegersAreSmallAndFollowTheirRange) {
  auto values = fill({Kind::Input, "i8", {1000}, "x"});
  EXPECT_EQ(least(values), -4);
  EXPECT_EQ(greatest(values), 4);
  values = fill({Kind::Input, "i1", {1000}, "x"});
  EXPECT_EQ(least(values), 0);
  EXPECT_EQ(greatest(values), 1);
  values = fill({Kind::Input, "ui8", {1000}, "x"});
  EXPECT_EQ(least(values), 0);
  EXPECT_EQ(greatest(fill({Kind::Input, "i64", {1000}, "x"})), 1);
  BoundaryArgument indices{Kind::Input, "i64", {1000}, "x"};
  indices.least = 5;
  indices.greatest = 9;
  values = fill(indices);
  EXPECT_EQ(least(values), 5);
  EXPECT_EQ(greatest(values), 9);
}

TEST(TestData, SeedAndPositionTellArgumentsApart) {
  BoundaryArgument argument{Kind::Input, "f32", {100}, "x"};
  EXPECT_EQ(fill(argument, 1, 0), fill(argument, 1, 0));
  EXPECT_NE(fill(argument, 1, 0), fill(argument, 2, 0));
  EXPECT_NE(fill(argument, 1, 0), fill(argument, 1, 1));
}

TEST(TestData, ScalarsFillTheLowBitsOfASlot) {
  BoundaryArgument scalar{Kind::Scalar, "i8", {}, "s"};
  scalar.least = scalar.greatest = -3;
  EXPECT_EQ(llvm::cantFail(scalarSlot(scalar, 1, 0)), 0xfd);
  BoundaryArgument number{Kind::Scalar, "f32", {}, "s"};
  int64_t slot = llvm::cantFail(scalarSlot(number, 1, 0));
  EXPECT_EQ(slot >> 32, 0);
  BoundaryArgument complex{Kind::Scalar, "complex<f64>", {}, "s"};
  EXPECT_NE(llvm::toString(scalarSlot(complex, 1, 0).takeError()), "");
}
