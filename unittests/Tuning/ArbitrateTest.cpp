// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two schedules differ where no exact value is known.

#include "SampledFixture.h"

#include "llvm/ADT/StringExtras.h"

using namespace diffuse;

namespace {
using Arbitrate = SampledTest;
} // namespace

/// Lines of records that hold `text`.
static unsigned linesWith(const std::string &records, llvm::StringRef text) {
  unsigned count = 0;
  for (llvm::StringRef line : llvm::split(records, '\n'))
    count += line.contains(text);
  return count;
}

TEST_F(Arbitrate, AnExactValueRefutesTheFirstSchedule) {
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    return answerOf(request, [&](llvm::StringRef s) { return s == standard; });
  });
  for (const TaskOutcome &task : outcome.tasks) {
    ASSERT_TRUE(task.best);
    EXPECT_NE(digestOf(*task.best), standard);
    EXPECT_EQ(task.defaultFailure, FailureKind::WrongAnswer);
    EXPECT_EQ(task.bestMicros, 100.0) << "right candidates are not blamed";
  }
  EXPECT_NE(recordsText().find("wrong at [401, 399] of result 0, where no "
                               "sample had been taken"),
            std::string::npos);
  EXPECT_EQ(outcome.measurements, llvm::StringRef(recordsText()).count('\n'))
      << "what is recorded is counted";
}

TEST_F(Arbitrate, WhoRefutesAnotherMayFailOnTheSecondSeed) {
  // The first that disagrees with the default schedule is right on one seed
  // only; neither of the two is compared with afterwards.
  std::string half;
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    MeasureResult result =
        answerOf(request, [&](llvm::StringRef s) { return s == standard; });
    bool disputes = result.failure == FailureKind::WrongAnswer &&
                    result.wrongReference == 1;
    if (disputes && half.empty())
      half = request.identity.schedule;
    if (!half.empty() && request.identity.schedule == half &&
        request.dataSeed == 2)
      result.failure = FailureKind::WrongAnswer;
    return result;
  });
  ASSERT_FALSE(half.empty());
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_EQ(task.defaultFailure, FailureKind::WrongAnswer);
    ASSERT_TRUE(task.best) << recordsText();
    EXPECT_NE(digestOf(*task.best), standard);
  }
  EXPECT_NE(recordsText().find("on a second set of data"), std::string::npos);
  const MeasureRequest &last = ofFirstTask().back();
  ASSERT_EQ(last.references.size(), 2u);
  EXPECT_NE(authors[last.references[1].path], half);
  EXPECT_NE(authors[last.references[1].path], standard);
}

TEST_F(Arbitrate, WithoutAnExactValueNobodyIsToBlame) {
  runReal([&](const MeasureRequest &request) {
    MeasureResult result =
        answerOf(request, [&](llvm::StringRef s) { return s == standard; });
    if (isAsked(request))
      result.failure = FailureKind::Unmeasurable;
    return result;
  });
  EXPECT_EQ(linesWith(recordsText(), "wrong-answer"), 0u);
}

TEST_F(Arbitrate, AfterManyDisputesNobodyIsToBlame) {
  int64_t place = 200;
  for (int64_t a : {1, 2, 4, 8, 16, 32})
    places[digestOf({"toy", {{"a", a}, {"b", 1}}})] = {++place, 399};
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    return answerOf(request,
                    [&](llvm::StringRef s) { return places.count(s.str()); });
  });
  unsigned wrong = 0, undecided = 0;
  for (TaskOutcome &task : outcome.tasks) {
    EXPECT_EQ(task.unverified, "");
    EXPECT_EQ(task.bestMicros, 100.0);
    wrong += task.failures[FailureKind::WrongAnswer];
    undecided += task.failures[FailureKind::Unmeasurable];
  }
  EXPECT_EQ(wrong, 4 * outcome.tasks.size());
  EXPECT_EQ(undecided, 2 * outcome.tasks.size());
  EXPECT_EQ(linesWith(recordsText(), "wrong-answer"), wrong);
}

TEST_F(Arbitrate, OnTheSecondSeedAnExactValueDecidesToo) {
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    return answerOf(request, [&](llvm::StringRef s) {
      return s == standard && request.dataSeed == 2;
    });
  });
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_EQ(task.defaultFailure, FailureKind::WrongAnswer);
    EXPECT_EQ(task.bestMicros, 100.0);
  }
  EXPECT_EQ(linesWith(recordsText(), "wrong-answer"), outcome.tasks.size())
      << "the default schedules";
}

TEST_F(Arbitrate, WhatPassedByAWrongAnswerIsForgotten) {
  // All are wrong in the same place but for the last, which is not fast. Once
  // it has shown that, there is no time left.
  std::string right = digestOf({"toy", {{"a", 32}, {"b", 16}}}), decided;
  options.interrupted = [&] { return !decided.empty(); };
  auto rig = [&](const MeasureRequest &request) {
    if (request.identity.schedule == right && request.dataSeed == 2)
      decided = request.identity.scope.exactHash;
    return answerOf(request, [&](llvm::StringRef s) { return s != right; });
  };
  auto expectRight = [&](const TuningOutcome &outcome) {
    for (auto [task, result] : llvm::zip(tasks, outcome.tasks)) {
      bool isRight = result.best && digestOf(*result.best) == right;
      EXPECT_TRUE(isRight || task.descriptor.exactHash != decided);
    }
  };
  expectRight(runReal(rig));
  ASSERT_FALSE(decided.empty());
  for (const RecordScope &scope : records->scopes()) {
    std::optional<BestRecord> best = findBest(*records, scope);
    EXPECT_TRUE(best || scope.exactHash != decided);
    if (best && scope.exactHash == decided) {
      EXPECT_EQ(best->record->identity.schedule, right);
    }
  }
  options.interrupted = nullptr;
  options.budget.measurements = 0;
  expectRight(runReal(rig));
}

TEST_F(Arbitrate, TheDefaultScheduleIsNotRevivedWhereItIsConfirmed) {
  std::map<std::string, unsigned> confirmed;
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    unsigned &rounds = confirmed[request.identity.scope.exactHash];
    MeasureResult result = answerOf(request, [&](llvm::StringRef s) {
      return rounds == 3 && s == standard;
    });
    // Timed for the last time, it turns out to be wrong.
    rounds += request.calibrate && request.identity.schedule == standard;
    return result;
  });
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_EQ(task.defaultFailure, FailureKind::WrongAnswer);
    EXPECT_FALSE(task.defaultMicros);
    EXPECT_TRUE(task.best && digestOf(*task.best) != standard);
  }
}
