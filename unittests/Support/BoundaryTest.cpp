// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/Boundary.h"
#include "gtest/gtest.h"

using namespace diffuse;
using Kind = BoundaryArgument::Kind;

static std::vector<BoundaryArgument> sampleBoundary() {
  BoundaryArgument input{Kind::Input, "f32", {kDynamicExtent, 8}, "x"};
  BoundaryArgument weight{Kind::Parameter, "bf16", {8, 4}, "w"};
  weight.fanIn = 8;
  BoundaryArgument scalar{Kind::Scalar, "index", {}, "s"};
  scalar.greatest = 3;
  BoundaryArgument result{Kind::Destination, "f32", {kDynamicExtent, 4}, "y"};
  return {input, weight, scalar, result};
}

TEST(Boundary, JsonIsReadBack) {
  std::vector<BoundaryArgument> boundary = sampleBoundary(), read;
  std::string text = toJson(llvm::ArrayRef(boundary)).dump();
  Json json = llvm::cantFail(Json::parse(text));
  ASSERT_FALSE(bool(fromJson(json, read)));
  EXPECT_EQ(toJson(llvm::ArrayRef(read)).dump(), text);
  EXPECT_EQ(read[1].fanIn, 8);
  EXPECT_EQ(read[2].greatest, 3);
  EXPECT_TRUE(read[3].isDynamic());
}

TEST(Boundary, ExtentsAreFilledInOrder) {
  std::vector<BoundaryArgument> boundary = sampleBoundary();
  EXPECT_EQ(countDynamicExtents(boundary), 2u);
  auto fixed = fixExtents(boundary, {5, 6});
  ASSERT_TRUE(bool(fixed));
  EXPECT_EQ((*fixed)[0].extents, (std::vector<int64_t>{5, 8}));
  EXPECT_EQ(llvm::cantFail(countBytes((*fixed)[3])), 6u * 4 * 4);
  EXPECT_EQ(llvm::cantFail(countBytes((*fixed)[1])), 8u * 4 * 2);
}

TEST(Boundary, WrongExtentsAreRefused) {
  std::vector<BoundaryArgument> boundary = sampleBoundary();
  auto few = fixExtents(boundary, {5});
  EXPECT_EQ(llvm::toString(few.takeError()),
            "the boundary has 2 dynamic extents, but 1 are given");
  auto negative = fixExtents(boundary, {5, -6});
  EXPECT_NE(llvm::toString(negative.takeError()).find("'y'"),
            std::string::npos);
  EXPECT_NE(llvm::toString(countBytes(boundary[0]).takeError()), "");
  BoundaryArgument huge{Kind::Input, "f64", {1 << 30, 1 << 30, 8}, "h"};
  EXPECT_NE(llvm::toString(countBytes(huge).takeError()), "");
}

TEST(Boundary, UnknownKindIsRefused) {
  BoundaryArgument argument;
  Json json = llvm::cantFail(Json::parse(R"({"kind":"gift","type":"f32"})"));
  EXPECT_NE(llvm::toString(fromJson(json, argument)).find("'gift'"),
            std::string::npos);
}
