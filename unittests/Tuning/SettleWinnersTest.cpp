// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What leads after the search is measured and checked once more.

#include "TunerFixture.h"

#include <set>

using namespace diffuse;

namespace {
using SettleWinners = TunerTest;
} // namespace

/// Candidates that were measured, by schedule, without references.
static std::map<std::string, unsigned>
countRuns(llvm::ArrayRef<MeasureRequest> requests) {
  std::map<std::string, unsigned> runs;
  for (const MeasureRequest &request : requests)
    if (!request.identity.schedule.empty())
      ++runs[request.identity.scope.exactHash + request.identity.schedule];
  return runs;
}

TEST_F(SettleWinners, ABudgetInMeasurementsConfirmsItsWinnersWithinIt) {
  options.stopGain = 0;
  options.budget.measurements = 60;
  std::vector<MeasureRequest> seen;
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    seen.push_back(request);
    return answer(request);
  });
  unsigned runs = 0, most = 0, calibrated = 0, onOtherData = 0;
  for (const auto &[which, count] : countRuns(seen)) {
    runs += count;
    most = std::max(most, count);
  }
  for (const MeasureRequest &request : seen) {
    calibrated += request.calibrate;
    onOtherData += request.checkOnly && !request.identity.schedule.empty();
    EXPECT_FALSE(request.calibrate && request.repeats.dropAboveMicros > 0);
  }
  EXPECT_LE(outcome.measurements, 60u);
  EXPECT_EQ(outcome.measurements, runs - onOtherData)
      << "all but checks are paid for";
  EXPECT_EQ(outcome.measurements, llvm::StringRef(recordsText()).count('\n'))
      << "and recorded";
  EXPECT_GE(most, 4u) << "measured, and three times more in turn";
  EXPECT_GE(calibrated, 6u);
  EXPECT_GE(onOtherData, 1u);
}

TEST_F(SettleWinners, ADecisionSamplesLongerThanTheSearch) {
  options.stopGain = 0;
  double longest = 0, shortest = 1;
  runReal([&](const MeasureRequest &request) {
    double seconds = request.repeats.minSeconds;
    bool isSearched = request.repeats.dropAboveMicros > 0;
    if (isSearched)
      longest = std::max(longest, seconds);
    else if (!request.checkOnly)
      shortest = std::min(shortest, seconds);
    return answer(request);
  });
  EXPECT_GT(longest, 0.0);
  EXPECT_LT(longest, shortest);
}

TEST_F(SettleWinners, WhatFailsOnOtherDataIsNotShipped) {
  options.stopGain = 0;
  options.strategy = "exhaustive";
  options.budget.measurements = 300;
  std::string bottom = digestOf({"toy", {{"a", 8}, {"b", 4}}});
  auto rig = [&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    if (request.identity.schedule == bottom && request.dataSeed != 1)
      result.failure = FailureKind::WrongAnswer;
    return result;
  };
  TuningOutcome outcome = runReal(rig);
  for (const TaskOutcome &task : outcome.tasks) {
    ASSERT_TRUE(task.best);
    EXPECT_NE(digestOf(*task.best), bottom);
    EXPECT_GT(*task.bestMicros, 100.0);
  }
  EXPECT_NE(recordsText().find("on a second set of data"), std::string::npos);
  outcome = runReal(rig);
  for (const TaskOutcome &task : outcome.tasks)
    EXPECT_NE(digestOf(*task.best), bottom) << "the records know";
}

TEST_F(SettleWinners, ABudgetThatIsSpentLetsNobodyThroughUnchecked) {
  options.stopGain = 0;
  options.budget.measurements = 30;
  std::set<std::string> sound;
  for (const SearchTask &task : tasks)
    sound.insert(
        digestOf(defaultCandidate(task.descriptor, target, task.sketches)));
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    if (!request.identity.schedule.empty() &&
        !sound.count(request.identity.schedule) && request.dataSeed != 1)
      result.failure = FailureKind::WrongAnswer;
    return result;
  });
  EXPECT_LE(outcome.measurements, 30u);
  for (const TaskOutcome &task : outcome.tasks) {
    ASSERT_TRUE(task.best);
    EXPECT_TRUE(sound.count(digestOf(*task.best)));
  }
}

TEST_F(SettleWinners, AWinnerThatDoesNotHoldGivesWay) {
  options.stopGain = 0;
  options.strategy = "exhaustive";
  options.budget.measurements = 300;
  std::string lucky = digestOf({"toy", {{"a", 32}, {"b", 16}}});
  std::map<std::string, unsigned> measured;
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    bool isFirst = !measured[request.identity.key().str()]++;
    if (request.identity.schedule == lucky && isFirst)
      result.samplesMicros.assign(5, 1);
    return result;
  });
  for (const TaskOutcome &task : outcome.tasks)
    EXPECT_EQ(task.bestMicros, 100.0);
}
