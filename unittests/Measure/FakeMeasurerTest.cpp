// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Measure/FakeMeasurer.h"
#include "Diffuse/Measure/ReplayMeasurer.h"

#include "Diffuse/Records/RecordFile.h"
#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"
#include <fstream>

using namespace diffuse;

static MeasureRequest requestFor(std::string schedule) {
  MeasureRequest request;
  request.identity.scope.exactHash = "h";
  request.identity.schedule = std::move(schedule);
  return request;
}

TEST(FakeMeasurer, AnswersDependOnSeedAndCandidateAlone) {
  FakeMeasurer one, same, other(FakeOptions{1});
  auto answer = [](FakeMeasurer &measurer, std::string schedule) {
    return toJson(measurer.measure(requestFor(std::move(schedule)))).dump();
  };
  std::string first = answer(one, "a");
  answer(one, "b");
  EXPECT_EQ(answer(one, "a"), first);
  EXPECT_EQ(answer(same, "a"), first);
  EXPECT_NE(answer(same, "b"), first);
  EXPECT_NE(answer(other, "a"), first);
  EXPECT_EQ(one.measure(requestFor("a")).seconds, 0);
}

TEST(FakeMeasurer, TimesFollowThePrediction) {
  FakeMeasurer measurer;
  MeasureRequest fast = requestFor("a"), slow = requestFor("a");
  fast.predictedMicros = 10;
  slow.predictedMicros = 1000;
  EXPECT_NEAR(measurer.measure(slow).samplesMicros[0] /
                  measurer.measure(fast).samplesMicros[0],
              100, 0.1);
  slow.repeats.dropAboveMicros = 1;
  EXPECT_TRUE(measurer.measure(slow).isDropped);
  slow.checkOnly = true;
  EXPECT_TRUE(measurer.measure(slow).samplesMicros.empty());
}

TEST(FakeMeasurer, FailuresComeInTheirShares) {
  FakeOptions options;
  options.wrongShare = 0.3;
  options.crashShare = 0.1;
  FakeMeasurer measurer(options);
  int wrong = 0, crashed = 0;
  for (int i = 0; i < 1000; ++i) {
    MeasureResult result = measurer.measure(requestFor(std::to_string(i)));
    wrong += result.failure == FailureKind::WrongAnswer;
    crashed += result.failure == FailureKind::RunCrash;
  }
  EXPECT_NEAR(wrong, 300, 60);
  EXPECT_NEAR(crashed, 100, 40);
}

TEST(FakeMeasurer, RigMayBeGiven) {
  FakeMeasurer measurer([](const MeasureRequest &request) {
    MeasureResult result;
    result.message = request.identity.schedule;
    return result;
  });
  EXPECT_EQ(measurer.measure(requestFor("a")).message, "a");
}

namespace {
class ReplayMeasurerTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("replay", "jsonl", name));
    path = name.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove(path); }
  std::string path;
};
} // namespace

TEST_F(ReplayMeasurerTest, AnswersWhatWasMeasured) {
  MeasurementRecord record;
  record.identity = requestFor("a").identity;
  record.samplesMicros = {3, 4};
  llvm::cantFail(appendRecordLine(path, toJson(record)));
  record.identity.schedule = "b";
  record.samplesMicros.clear();
  record.failure = FailureKind::RunCrash;
  record.message = "m";
  llvm::cantFail(appendRecordLine(path, toJson(record)));
  auto measurer = llvm::cantFail(openReplay(path));
  EXPECT_EQ(measurer->measure(requestFor("a")).samplesMicros,
            (std::vector<double>{3, 4}));
  EXPECT_EQ(measurer->measure(requestFor("b")).failure, FailureKind::RunCrash);
  EXPECT_EQ(measurer->measure(requestFor("b")).message, "m");
  EXPECT_EQ(measurer->measure(requestFor("c")).failure,
            FailureKind::Unmeasurable);
}

TEST_F(ReplayMeasurerTest, NothingToReplayIsAnError) {
  EXPECT_NE(llvm::toString(openReplay(path).takeError()).find("nothing"),
            std::string::npos);
  std::ofstream(path) << "junk\n";
  EXPECT_NE(llvm::toString(openReplay(path).takeError()).find(":1: "),
            std::string::npos);
}
