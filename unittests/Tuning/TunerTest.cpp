// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TunerFixture.h"

using namespace diffuse;

TEST_F(TunerTest, FindsTheBottomOfTheBowl) {
  options.stopGain = 0;
  TuningOutcome outcome = run();
  for (const TaskOutcome &task : outcome.tasks) {
    ASSERT_TRUE(task.defaultMicros && task.bestMicros);
    EXPECT_LE(*task.bestMicros, *task.defaultMicros);
    EXPECT_EQ(*task.bestMicros, 100.0);
  }
}

TEST_F(TunerTest, KeepsTheBudget) {
  options.budget.measurements = 17;
  TuningOutcome outcome = run();
  EXPECT_EQ(outcome.measurements, 17u);
  unsigned sum = 0;
  for (const TaskOutcome &task : outcome.tasks)
    sum += task.measurements;
  EXPECT_EQ(sum, 17u);
}

TEST_F(TunerTest, ZeroBudgetMeasuresNothing) {
  options.budget.measurements = 0;
  TuningOutcome outcome = run();
  EXPECT_EQ(requests, 0u);
  for (const TaskOutcome &task : outcome.tasks)
    EXPECT_TRUE(task.best);
}

TEST_F(TunerTest, FailuresAreRecordedAndNeverWin) {
  // Everything near the bottom fails, each time in another way.
  const FailureKind kinds[] = {FailureKind::WrongAnswer, FailureKind::RunCrash,
                               FailureKind::RunTimeout,
                               FailureKind::OutOfBounds};
  unsigned failures = 0;
  options.stopGain = 0;
  TuningOutcome outcome = run([&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    if (!request.checkOnly &&
        rigged(candidates[request.identity.schedule]) < 150) {
      result.samplesMicros.clear();
      result.failure = kinds[failures++ % 4];
    }
    return result;
  });
  EXPECT_GT(failures, 0u);
  unsigned counted = 0;
  for (const TaskOutcome &task : outcome.tasks) {
    for (auto [kind, count] : task.failures)
      counted += count;
    EXPECT_GE(task.bestMicros.value_or(150.0), 150.0);
  }
  EXPECT_EQ(counted, failures);
  EXPECT_NE(recordsText().find("wrong-answer"), std::string::npos);
}

TEST_F(TunerTest, SharedCoresAreWarnedOfOnceAndRecorded) {
  struct : ProgressSink {
    void warned(llvm::StringRef message) override {
      warnings.push_back(message.str());
    }
    std::vector<std::string> warnings;
  } progress;
  FakeMeasurer measurer([this](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    result.sharedCore = !request.identity.schedule.empty();
    return result;
  });
  EXPECT_TRUE(run(measurer, progress).sharedCore);
  ASSERT_EQ(progress.warnings.size(), 1u);
  EXPECT_NE(progress.warnings[0].find("shared core"), std::string::npos);
  EXPECT_NE(recordsText().find("\"shared_core\":true"), std::string::npos);
}

TEST_F(TunerTest, CoresThatCannotBeReservedAreWarnedOfAsSuch) {
  struct : ProgressSink {
    void warned(llvm::StringRef message) override {
      warnings.push_back(message.str());
    }
    std::vector<std::string> warnings;
  } progress;
  FakeMeasurer measurer([this](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    result.unreservedCore = !request.identity.schedule.empty();
    return result;
  });
  TuningOutcome outcome = run(measurer, progress);
  EXPECT_TRUE(outcome.unreservedCore);
  EXPECT_FALSE(outcome.sharedCore);
  ASSERT_EQ(progress.warnings.size(), 1u);
  EXPECT_NE(progress.warnings[0].find("no core can be reserved"),
            std::string::npos);
  EXPECT_NE(recordsText().find("\"unreserved_core\":true"), std::string::npos);
}

TEST_F(TunerTest, TheSearchWatchesTheMachineInASmallShareOfItsTime) {
  options.stopGain = 0;
  double now = 0;
  options.clock = [&] { return now; };
  unsigned watched = 0;
  auto rig = [&](const MeasureRequest &request) {
    now += 0.1;
    // Those between winners and defaults are not dropped.
    watched += request.calibrate && request.repeats.dropAboveMicros > 0;
    MeasureResult result = answer(request);
    if (request.calibrate)
      result.calibration = {50, 700};
    return result;
  };
  runReal(rig);
  EXPECT_GE(watched, 4u);
  EXPECT_LE(watched * 8e-3, 0.02 * now);
  EXPECT_NE(recordsText().find("\"copy_us\":700"), std::string::npos);
  watched = 0;
  run(rig);
  EXPECT_EQ(watched, 0u) << "times of a fake do not depend on the clock";
}

TEST_F(TunerTest, WhereNothingPassesPlainLoopsAreLeft) {
  options.strategy = "exhaustive";
  options.budget.measurements = 1000;
  auto fail = [this](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    bool isCandidate = !request.identity.schedule.empty();
    if (isCandidate && request.identity.scope.exactHash[0] == 'b') {
      result.samplesMicros.clear();
      result.failure = FailureKind::WrongAnswer;
    } else if (!isCandidate && !request.checkOnly) {
      result.samplesMicros = {7000};
    }
    return result;
  };
  for (llvm::StringRef turn : {"measured", "from records"}) {
    TuningOutcome outcome = run(fail);
    const TaskOutcome &failed = outcome.tasks[0];
    EXPECT_FALSE(failed.best) << turn.str();
    EXPECT_EQ(failed.defaultFailure, FailureKind::WrongAnswer) << turn.str();
    EXPECT_FALSE(failed.defaultMicros);
    EXPECT_EQ(failed.bestMicros, 7000.0) << "plain loops are timed";
    EXPECT_TRUE(outcome.tasks[1].best);
    EXPECT_FALSE(outcome.tasks[1].defaultFailure);
  }
}

TEST_F(TunerTest, AnotherScheduleTakesTheFailedDefaultsPlace) {
  std::string digest = digestOf(
      defaultCandidate(tasks[0].descriptor, target, tasks[0].sketches));
  TuningOutcome outcome = run([&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    if (request.identity.schedule == digest) {
      result.samplesMicros.clear();
      result.failure = FailureKind::RunCrash;
    }
    return result;
  });
  for (const TaskOutcome &task : outcome.tasks) {
    ASSERT_TRUE(task.best);
    EXPECT_NE(digestOf(*task.best), digest);
    EXPECT_EQ(task.defaultFailure, FailureKind::RunCrash);
    EXPECT_TRUE(task.bestMicros);
  }
}

TEST_F(TunerTest, WithoutReferenceNothingIsMeasured) {
  TuningOutcome outcome = run([&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    if (request.checkOnly) {
      result.failure = FailureKind::RunTimeout;
      result.message = "stopped after 10 s";
    }
    return result;
  });
  EXPECT_EQ(requests, tasks.size());
  EXPECT_TRUE(recordsText().empty());
  for (const TaskOutcome &task : outcome.tasks)
    EXPECT_NE(task.unverified.find("stopped after 10 s"), std::string::npos);
}

TEST_F(TunerTest, InterruptEndsTheLoopWithAResult) {
  unsigned asked = 0;
  options.interrupted = [&] { return ++asked > 10; };
  TuningOutcome outcome = run();
  EXPECT_TRUE(outcome.wasInterrupted);
  EXPECT_LT(outcome.measurements, 20u);
  EXPECT_EQ(outcome.tasks.size(), tasks.size());
}

TEST_F(TunerTest, ATransientFaultEndsNoTaskAndIsNotRecorded) {
  unsigned measured = 0;
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    if (++measured % 3 == 1) {
      result.samplesMicros.clear();
      result.failure = FailureKind::Unmeasurable;
      result.message = "the worker is away";
    }
    return result;
  });
  EXPECT_GT(outcome.measurements, 30u);
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_EQ(task.unverified, "");
    EXPECT_TRUE(task.defaultMicros);
  }
  EXPECT_EQ(recordsText().find("unmeasurable"), std::string::npos);
}

TEST_F(TunerTest, APermanentFaultEndsEveryTaskSoon) {
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    result.failure = FailureKind::Unmeasurable;
    result.message = "no worker";
    return result;
  });
  EXPECT_EQ(outcome.measurements, 0u);
  EXPECT_LE(requests, 6 * tasks.size());
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_NE(task.unverified.find("no worker"), std::string::npos);
    EXPECT_TRUE(task.best) << "not checked is not failed";
    EXPECT_FALSE(task.defaultFailure);
  }
}

TEST_F(TunerTest, EveryDestinationIsHeldToItsOwnTolerance) {
  auto destination = [](llvm::StringRef type) {
    BoundaryArgument argument;
    argument.kind = BoundaryArgument::Kind::Destination;
    argument.elementType = type.str();
    argument.extents = {4};
    return argument;
  };
  tuningTasks[0].boundary = {destination("f16"), destination("f32"),
                             destination("i32")};
  tuningTasks[0].reductionLengths = {1, 64};
  options.budget.measurements = 6;
  run([&](const MeasureRequest &request) {
    if (!request.boundary.empty() && !request.identity.schedule.empty()) {
      EXPECT_EQ(request.tolerances.size(), 3u);
      EXPECT_EQ(request.tolerances[0].relative,
                toleranceFor("f16", 1, options.numerics).relative);
      EXPECT_EQ(request.tolerances[1].relative,
                toleranceFor("f32", 64, options.numerics).relative);
      EXPECT_EQ(request.tolerances[2].relative, 0);
    }
    return answer(request);
  });
}

TEST_F(TunerTest, ADefaultThatMetALimitOnceIsTriedAgain) {
  Candidate byDefault =
      defaultCandidate(tasks[0].descriptor, target, tasks[0].sketches);
  for (auto [kind, fails] : {std::pair(FailureKind::RunTimeout, false),
                             std::pair(FailureKind::WrongAnswer, true)}) {
    records = openRecordStore({});
    bool isFirst = true;
    FailureKind failure = kind;
    TuningOutcome outcome = run([&](const MeasureRequest &request) {
      MeasureResult result = answer(request);
      bool isDefault =
          request.identity.schedule == digestOf(byDefault) &&
          request.identity.scope.exactHash == tasks[0].descriptor.exactHash;
      if (isDefault && isFirst) {
        isFirst = false;
        result = MeasureResult();
        result.failure = failure;
      }
      return result;
    });
    EXPECT_FALSE(isFirst);
    EXPECT_EQ(outcome.tasks[0].defaultFailure.has_value(), fails);
    EXPECT_EQ(outcome.tasks[0].defaultMicros.has_value(), !fails);
  }
}
