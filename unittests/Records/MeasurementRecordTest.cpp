// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Records/MeasurementRecord.h"
#include "Samples.h"

#include <cmath>

using namespace diffuse;

static std::string messageOf(llvm::StringRef text) {
  Json json = llvm::cantFail(Json::parse(text));
  auto record = parseMeasurement(json);
  return record ? "" : llvm::toString(record.takeError());
}

TEST(MeasurementRecord, LineIsReadBack) {
  MeasurementRecord record = sampleRecord("digest", {2.5, 1.25});
  record.identity.scope.extents = {1, 128};
  record.identity.scope.numerics = Numerics::Strict;
  record.structureHash = "s";
  record.sketch = "contraction";
  record.choices = {{"tile_m", 6}, {"tile_n", 16}};
  record.message = "line\nbreak";
  record.maxRelativeError = 1e-7;
  record.machine = "m";
  record.calibration = {10, 20};
  record.facts = {{"spills", 3}};
  record.tool = "0.1.0";
  record.llvm = "22";
  record.seed = UINT64_MAX;
  record.compileSeconds = 0.5;
  record.runSeconds = 0.25;
  record.searchSeconds = 0.125;
  std::string line = toJson(record).dump();
  EXPECT_EQ(line.find('\n'), std::string::npos);
  MeasurementRecord read =
      llvm::cantFail(parseMeasurement(llvm::cantFail(Json::parse(line))));
  EXPECT_EQ(toJson(read).dump(), line);
  EXPECT_EQ(read.identity.key(), record.identity.key());
  EXPECT_EQ(read.choices, record.choices);
  EXPECT_EQ(read.seed, UINT64_MAX);
}

// Old files must be readable for ever: this text is one.
TEST(MeasurementRecord, BytesOfFormatOneAreFixed) {
  MeasurementRecord record = sampleRecord("d", {1.5});
  EXPECT_EQ(toJson(record).dump(),
            R"({"codegen":1,"exact_hash":"00000000000000000000000000000001",)"
            R"("failure":"none","family_hash":"f","format":1,)"
            R"("kind":"measurement","numerics":"default","protocol":1,)"
            R"("samples_us":[1.5],"schedule":"d","seed":0,)"
            R"("target":"cpu:x86-64-v3","threads":1})");
}

/// What a reader of the first format would take for something else.
TEST(MeasurementRecord, BytesOfFormatTwoAreFixed) {
  MeasurementRecord record = sampleRecord("d", {1.5});
  record.identity.scope.flushDenormals = true;
  EXPECT_EQ(toJson(record).dump(),
            R"({"codegen":1,"denormals":"flush",)"
            R"("exact_hash":"00000000000000000000000000000001",)"
            R"("failure":"none","family_hash":"f","format":2,)"
            R"("kind":"measurement","numerics":"default","protocol":1,)"
            R"("samples_us":[1.5],"schedule":"d","seed":0,)"
            R"("target":"cpu:x86-64-v3","threads":1})");
  auto read = llvm::cantFail(parseMeasurement(toJson(record)));
  EXPECT_TRUE(read.identity.scope.flushDenormals);
  EXPECT_FALSE(read.isDropped);
  record.identity.scope.flushDenormals = false;
  record.isDropped = true;
  Json line = toJson(record);
  EXPECT_NE(line.dump().find(R"("dropped":true)"), std::string::npos);
  EXPECT_NE(line.dump().find(R"("format":2)"), std::string::npos);
  EXPECT_TRUE(llvm::cantFail(parseMeasurement(line)).isDropped);
}

/// A reader of the third format would take the one for the other.
TEST(MeasurementRecord, WhatIsWithdrawnIsOfFormatFour) {
  MeasurementRecord record = sampleFailure("d", FailureKind::SlowerInNetwork);
  EXPECT_NE(toJson(record).dump().find(R"("format":3)"), std::string::npos);
  record.isWithdrawn = true;
  std::string line = toJson(record).dump();
  EXPECT_NE(line.find(R"("format":4)"), std::string::npos);
  EXPECT_NE(line.find(R"("withdrawn":true)"), std::string::npos);
  auto read = parseMeasurement(llvm::cantFail(Json::parse(line)));
  EXPECT_TRUE(llvm::cantFail(std::move(read)).isWithdrawn);
}

TEST(MeasurementRecord, EveryPartOfTheIdentityCounts) {
  RecordIdentity base{sampleScope(), "d"};
  std::vector<RecordIdentity> others(9, base);
  others[0].scope.exactHash = "x";
  others[1].scope.target = "x";
  others[2].scope.threads = 2;
  others[3].scope.numerics = Numerics::Fast;
  others[4].scope.extents = {1};
  others[5].scope.codegen = 2;
  others[6].scope.protocol = 2;
  others[7].schedule = "x";
  others[8].scope.flushDenormals = true;
  for (const RecordIdentity &other : others)
    EXPECT_NE(other.key(), base.key());
}

TEST(MeasurementRecord, InfinitiesSurviveAsTheLargestNumber) {
  MeasurementRecord record = sampleFailure("d", FailureKind::WrongAnswer);
  record.maxRelativeError = HUGE_VAL;
  std::string line = toJson(record).dump();
  auto read = parseMeasurement(llvm::cantFail(Json::parse(line)));
  EXPECT_GT(llvm::cantFail(std::move(read)).maxRelativeError, 1e300);
}

TEST(MeasurementRecord, LinesThatCannotBeTrustedAreRefused) {
  std::string good = toJson(sampleRecord("d", {1.5})).dump();
  auto with = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string text = good;
    size_t place = text.find(from.str());
    return text.replace(place, from.size(), to.str());
  };
  EXPECT_EQ(messageOf(good), "");
  EXPECT_NE(messageOf(with("[1.5]", "[]")), "");
  EXPECT_NE(messageOf(with("[1.5]", "[-1.5]")), "");
  EXPECT_NE(messageOf(with("[1.5]", "[0]")), "");
  EXPECT_NE(messageOf(with("\"none\"", "\"fun\"")), "");
  EXPECT_NE(messageOf(with("\"threads\":1", "\"threads\":\"1\"")), "");
  EXPECT_NE(messageOf(with("\"numerics\":\"default\"", "\"numerics\":3")), "");
  EXPECT_NE(messageOf(with("\"threads\"", "\"denormals\":\"?\",\"threads\"")),
            "");
  EXPECT_NE(messageOf("[]"), "");
}

TEST(Latency, IsTheLowerQuartile) {
  EXPECT_EQ(latencyMicros({3}), 3);
  EXPECT_EQ(latencyMicros({9, 1, 2, 8, 7}), 2);
  EXPECT_EQ(latencyMicros({4, 3, 2, 1}), 1);
  EXPECT_TRUE(std::isinf(latencyMicros({})));
}
