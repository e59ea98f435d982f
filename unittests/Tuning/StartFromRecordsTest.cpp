// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tuner makes of records of earlier runs.

#include "TunerFixture.h"

#include "Diffuse/Search/Moves.h"

using namespace diffuse;

namespace {
using StartFromRecords = TunerTest;
} // namespace

TEST_F(StartFromRecords, SecondRunMeasuresNothingItKnows) {
  options.budget.measurements = 1000;
  options.strategy = "exhaustive";
  options.stopGain = 0;
  TuningOutcome first = run();
  EXPECT_EQ(first.measurements, tasks.size() * kToyPoints);
  TuningOutcome second = run();
  EXPECT_EQ(second.measurements, 0u);
  for (const auto &[one, other] : llvm::zip(first.tasks, second.tasks))
    EXPECT_EQ(one.best, other.best);
}

TEST_F(StartFromRecords, SameSeedSameRecords) {
  run();
  std::string first = recordsText();
  records = openRecordStore({});
  run();
  EXPECT_EQ(first, recordsText());
  EXPECT_FALSE(first.empty());
}

TEST_F(StartFromRecords, DroppedRunsAreMarkedAndNeverLead) {
  options.strategy = "exhaustive";
  options.stopGain = 0;
  options.budget.measurements = 1000;
  auto rig = [&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    double limit = request.repeats.dropAboveMicros;
    if (limit > 0 && !result.samplesMicros.empty() &&
        result.samplesMicros.front() > limit) {
      result.isDropped = true;
      result.samplesMicros.resize(1);
    }
    return result;
  };
  run(rig);
  EXPECT_NE(recordsText().find("\"dropped\":true"), std::string::npos);
  // Another run knows them all, and takes none for a measurement.
  TuningOutcome second = run(rig);
  EXPECT_EQ(second.measurements, 0u);
  for (const TaskOutcome &task : second.tasks)
    EXPECT_EQ(task.bestMicros, 100.0);
}

TEST_F(StartFromRecords, ADroppedRunIsNoMeasurementOnceItWouldMatter) {
  // The only record of the bottom is a run that was cut short.
  options.budget.measurements = 0;
  run();
  MeasurementRecord record;
  record.identity.scope = recordScopeOf(tasks[0], target, options);
  Candidate bottom{"toy", {{"a", 8}, {"b", 4}}};
  record.identity.schedule = digestOf(bottom);
  record.sketch = bottom.sketch;
  record.choices = bottom.choices;
  record.samplesMicros = {1};
  record.isDropped = true;
  records->append(record);
  TuningOutcome outcome = run();
  EXPECT_FALSE(outcome.tasks[0].bestMicros);
  options.strategy = "exhaustive";
  options.stopGain = 0;
  options.budget.measurements = 1000;
  outcome = run();
  EXPECT_EQ(outcome.measurements, tasks.size() * kToyPoints);
  EXPECT_EQ(outcome.tasks[0].bestMicros, 100.0);
}

TEST_F(StartFromRecords, TimesOfAnotherMachineCountAndAreMeasuredAgain) {
  auto append = [&](int64_t a, double micros) {
    Candidate candidate{"toy", {{"a", a}, {"b", 4}}};
    MeasurementRecord record;
    record.identity.scope = recordScopeOf(tasks[0], target, options);
    record.identity.schedule = digestOf(candidate);
    record.sketch = candidate.sketch;
    record.choices = candidate.choices;
    record.machine = "elsewhere";
    record.samplesMicros = {micros};
    records->append(record);
  };
  append(32, 1);
  append(16, 2);
  options.budget.measurements = 0;
  TuningOutcome outcome = run();
  EXPECT_EQ(outcome.tasks[0].bestMicros, 1.0) << "it counts";
  EXPECT_EQ(outcome.tasks[0].best->choices.at("a"), 32);
  options.budget.measurements = 60;
  options.stopGain = 0;
  outcome = run();
  EXPECT_GE(*outcome.tasks[0].bestMicros, 100.0) << "times of this machine";
}

namespace {
/// All candidates of the first task are measured, and the fastest was given
/// back.
struct GivenBack : TunerTest {
  GivenBack() {
    options.strategy = "exhaustive";
    options.stopGain = 0;
    options.budget.measurements = 1000;
    run();
    judge(bottom, /*isSlower=*/true);
  }

  /// Adds what a network says of a schedule beside the default one.
  void judge(const Candidate &candidate, bool isSlower) {
    MeasurementRecord record = recordOf(tasks[0], candidate);
    record.machine = records->lookup(record.identity.scope).front()->machine;
    record.failure = FailureKind::SlowerInNetwork;
    record.isWithdrawn = !isSlower;
    record.defaultSchedule = digestOf(*defaultOf(tasks[0], target));
    records->append(record);
  }
  std::optional<Candidate> best() {
    options.retriesHandBacks = false;
    return run().tasks[0].best;
  }

  Candidate bottom{"toy", {{"a", 8}, {"b", 4}}};
};
} // namespace

TEST_F(GivenBack, ItIsMeasuredAgainWhereNetworksAre) {
  TuningOutcome outcome = run();
  EXPECT_NE(outcome.tasks[0].best, bottom);
  EXPECT_EQ(outcome.measurements, 0u);
  options.retriesHandBacks = true;
  outcome = run();
  EXPECT_EQ(outcome.tasks[0].best, bottom);
  EXPECT_EQ(outcome.tasks[0].triedAgain.count(bottom), 1u);
  EXPECT_EQ(outcome.measurements, 1u);
}

TEST_F(GivenBack, ItCountsOnceItIsComparedAgain) {
  options.retriesHandBacks = true;
  EXPECT_EQ(run().measurements, 1u);
  EXPECT_NE(best(), bottom) << "measuring it by itself says nothing new";
  judge(bottom, /*isSlower=*/false);
  EXPECT_EQ(best(), bottom);
}

TEST_F(GivenBack, WhatWasComparedNeedNotBeFaster) {
  Candidate next{"toy", {{"a", 8}, {"b", 8}}};
  ASSERT_GT(rigged(next), rigged(bottom));
  ASSERT_LT(rigged(next), rigged(*defaultOf(tasks[0], target)));
  EXPECT_EQ(best(), defaultOf(tasks[0], target));
  judge(next, /*isSlower=*/false);
  EXPECT_EQ(best(), next);
}

TEST_F(StartFromRecords, ALimitMetOnAnotherMachineSaysNothingHere) {
  std::string byDefault = digestOf(
      defaultCandidate(tasks[0].descriptor, target, tasks[0].sketches));
  for (auto [kind, fails] : {std::pair(FailureKind::CompileTimeout, false),
                             std::pair(FailureKind::RunMemory, false),
                             std::pair(FailureKind::WrongAnswer, true)}) {
    records = openRecordStore({});
    FailureKind failure = kind;
    run([&](const MeasureRequest &request) {
      MeasureResult result = answer(request);
      if (request.identity.schedule == byDefault) {
        result = MeasureResult();
        result.failure = failure;
      }
      return result;
    });
    std::unique_ptr<RecordStore> elsewhere = openRecordStore({});
    for (const MeasurementRecord *record : allRecords()) {
      MeasurementRecord copy = *record;
      copy.machine = "elsewhere";
      elsewhere->append(copy);
    }
    records = std::move(elsewhere);
    TuningOutcome outcome = run();
    for (const TaskOutcome &task : outcome.tasks)
      EXPECT_EQ(task.defaultFailure.has_value(), fails);
  }
}

TEST_F(StartFromRecords, WhatIsStaleIsTriedFirstAndDoesNotCount) {
  options.budget.measurements = 30;
  run();
  std::unique_ptr<RecordStore> stale = openRecordStore({});
  std::map<std::string, double> least;
  for (const MeasurementRecord *record : allRecords()) {
    MeasurementRecord copy = *record;
    --copy.identity.scope.codegen;
    double &micros =
        least.try_emplace(copy.identity.scope.exactHash, 1e9).first->second;
    micros = std::min(micros, latencyMicros(copy.samplesMicros));
    stale->append(copy);
  }
  records = std::move(stale);
  options.budget.measurements = 0;
  for (const TaskOutcome &task : run().tasks)
    EXPECT_FALSE(task.bestMicros) << "it is no measurement";
  // A default schedule and what led elsewhere, for each task.
  options.budget.measurements = 5 * tasks.size();
  TuningOutcome outcome = run();
  for (const auto &[task, result] : llvm::zip_equal(tasks, outcome.tasks)) {
    ASSERT_TRUE(result.bestMicros);
    EXPECT_EQ(*result.bestMicros, least.at(task.descriptor.exactHash));
  }
}
