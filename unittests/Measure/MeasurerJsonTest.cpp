// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Measure/Calibrate.h"
#include "Diffuse/Measure/Measurer.h"
#include "gtest/gtest.h"

using namespace diffuse;

TEST(MeasurerJson, RequestIsReadBack) {
  MeasureRequest request;
  request.library = "/tmp/a b.so";
  request.symbol = "f";
  request.workspaceBytes = 64;
  request.boundary = {
      {BoundaryArgument::Kind::Input, "f32", {kDynamicExtent}, "x"}};
  request.dynamicExtents = {7};
  request.dataSeed = UINT64_MAX;
  request.references = {{"r", {{1, {2, 3}, {4, 5}}}, 2}, {"s", {}, 1}};
  request.writeOutputs = "w";
  request.tolerances = {{1, 2}, {0, 0.5}};
  request.repeats = {1, 2, 3, 4, 5};
  request.checkOnly = request.flushDenormals = request.calibrate = true;
  request.threads = 3;
  request.limits = {0.5, 6};
  std::string text = toJson(request).dump();
  MeasureRequest read =
      llvm::cantFail(parseMeasureRequest(llvm::cantFail(Json::parse(text))));
  EXPECT_EQ(toJson(read).dump(), text);
  EXPECT_EQ(read.dataSeed, UINT64_MAX);
  EXPECT_EQ(read.repeats.dropAboveMicros, 4);
  EXPECT_EQ(read.repeats.briefAboveMicros, 5);
  ASSERT_EQ(read.references.size(), 2u);
  EXPECT_EQ(read.references[0].tiles, request.references[0].tiles);
}

TEST(MeasurerJson, ResultIsReadBack) {
  MeasureResult result;
  result.failure = FailureKind::OutOfBounds;
  result.message = "m";
  result.samplesMicros = {1, 2.5};
  result.callsPerSample = 3;
  result.parameterCopies = 4;
  result.isDropped = true;
  result.maxRelativeError = 0.5;
  result.seconds = 0.25;
  result.calibration = {6, 7};
  result.isUnsteady = true;
  result.sharedCore = result.unreservedCore = true;
  result.wrongReference = 1;
  result.wrongElement = AnswerElement{2, {3, 4}};
  std::string text = toJson(result).dump();
  MeasureResult read =
      llvm::cantFail(parseMeasureResult(llvm::cantFail(Json::parse(text))));
  EXPECT_EQ(toJson(read).dump(), text);
  EXPECT_EQ(read.failure, FailureKind::OutOfBounds);
  EXPECT_TRUE(read.sharedCore && read.unreservedCore);
}

TEST(MeasurerJson, NumbersThatJsonLacksAreKeptLarge) {
  MeasureResult result;
  result.failure = FailureKind::WrongAnswer;
  result.maxRelativeError = std::numeric_limits<double>::infinity();
  std::string text = toJson(result).dump();
  MeasureResult read =
      llvm::cantFail(parseMeasureResult(llvm::cantFail(Json::parse(text))));
  EXPECT_GT(read.maxRelativeError, 1e300);
}

TEST(MeasurerJson, IncompleteOnesAreRefused) {
  Json empty = Json::object();
  EXPECT_NE(llvm::toString(parseMeasureRequest(empty).takeError()), "");
  EXPECT_NE(llvm::toString(parseMeasureResult(empty).takeError()), "");
}

TEST(Calibration, MovesAreSharesOfTheSmallerSpeed) {
  EXPECT_FALSE(hasMoved({100, 50}, {104, 50}, 0.05));
  EXPECT_TRUE(hasMoved({100, 50}, {106, 50}, 0.05));
  EXPECT_TRUE(hasMoved({100, 50}, {100, 47}, 0.05));
}

TEST(Tolerance, GrowsWithTheSumAndShrinksWithTheType) {
  double shortSum = toleranceFor("f32", 1, Numerics::Default).relative;
  double longSum = toleranceFor("f32", 100, Numerics::Default).relative;
  EXPECT_DOUBLE_EQ(longSum, 10 * shortSum);
  EXPECT_GT(toleranceFor("bf16", 1, Numerics::Default).relative, shortSum);
  EXPECT_LT(toleranceFor("f32", 1, Numerics::Strict).relative, shortSum);
  EXPECT_GT(toleranceFor("f32", 1, Numerics::Fast).relative, shortSum);
  EXPECT_EQ(toleranceFor("i32", 9, Numerics::Default).relative, 0);
  EXPECT_EQ(toleranceFor("unknown", 9, Numerics::Default).relative, 0);
}
