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

namespace {
/// The default schedule and another are wrong in one place, in two ways.
struct TwoWrong : SampledTest {
  TwoWrong() {
    wrong = {standard, other};
    garbage[other] = 2;
  }

  MeasureResult answer(const MeasureRequest &request) {
    return answerOf(request,
                    [&](llvm::StringRef s) { return wrong.count(s.str()); });
  }
  /// Whether this only holds the default schedule against samples, after
  /// another was found to differ from it.
  bool isJudged(const MeasureRequest &request) const {
    return request.identity.schedule == standard && request.checkOnly &&
           request.writeOutputs.empty();
  }
  void expectRight(const TuningOutcome &outcome) {
    for (const TaskOutcome &task : outcome.tasks) {
      ASSERT_TRUE(task.best);
      EXPECT_FALSE(wrong.count(digestOf(*task.best)));
      EXPECT_EQ(task.bestMicros, 100.0);
      EXPECT_EQ(task.defaultFailure, FailureKind::WrongAnswer);
      EXPECT_EQ(task.failures.count(FailureKind::Unmeasurable), 0u);
    }
    EXPECT_EQ(linesWith(recordsText(), "wrong-answer"),
              wrong.size() * outcome.tasks.size());
  }

  std::string other = digestOf({"toy", {{"a", 1}, {"b", 1}}});
  std::set<std::string> wrong;
};
} // namespace

TEST_F(TwoWrong, AnExactValueIsHeldAgainstBoth) {
  unsigned judged = 0;
  expectRight(runReal([&](const MeasureRequest &request) {
    judged += isJudged(request);
    return answer(request);
  }));
  EXPECT_EQ(judged, tasks.size());
}

TEST_F(TwoWrong, AnExactValueThatIsKnownDecidesTheNextDispute) {
  // The default schedule cannot be run when it is to be judged.
  unsigned judged = 0;
  expectRight(runReal([&](const MeasureRequest &request) {
    MeasureResult result = answer(request);
    if (!isJudged(request))
      return result;
    ++judged;
    result = MeasureResult();
    result.failure = FailureKind::Unmeasurable;
    return result;
  }));
  EXPECT_EQ(judged, tasks.size());
}

TEST_F(TwoWrong, WhoCannotBeJudgedIsCheckedOnceMore) {
  // Nobody is left who could refute the default schedule.
  unsigned judged = 0;
  options.strategy = "exhaustive";
  for (const auto &[digest, candidate] : candidates)
    wrong.insert(digest);
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    bool isFirst = isJudged(request) && request.dataSeed == 1;
    judged += isFirst;
    MeasureResult result = isFirst ? MeasureResult() : answer(request);
    if (isFirst)
      result.failure = FailureKind::Unmeasurable;
    // All others show that they are wrong at once.
    bool isOther = !request.identity.schedule.empty() &&
                   request.identity.schedule != standard;
    if (isOther && request.identity.schedule != other) {
      result = MeasureResult();
      result.failure = FailureKind::WrongAnswer;
    }
    return result;
  });
  EXPECT_EQ(judged, tasks.size());
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_EQ(task.defaultFailure, FailureKind::WrongAnswer);
    EXPECT_FALSE(task.best);
  }
}

TEST_F(Arbitrate, WithoutAnExactValueNobodyIsToBlame) {
  unsigned asked = 0;
  runReal([&](const MeasureRequest &request) {
    MeasureResult result =
        answerOf(request, [&](llvm::StringRef s) { return s == standard; });
    if (isAsked(request)) {
      ++asked;
      result.failure = FailureKind::Unmeasurable;
    }
    return result;
  });
  EXPECT_GT(asked, 0u);
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

TEST_F(Arbitrate, WhatWasTriedAgainIsForgottenToo) {
  // As above; records hold the time of one that was given back, slower than
  // what is wrong and faster than what is right.
  Candidate last{"toy", {{"a", 32}, {"b", 16}}},
      given{"toy", {{"a", 8}, {"b", 4}}};
  std::string right = digestOf(last), decided;
  for (const SearchTask &task : tasks) {
    MeasurementRecord record = recordOf(task, given);
    record.samplesMicros = {rigged(last) - 1};
    record.comparedWith = standard;
    records->append(record);
    record = recordOf(task, given);
    record.failure = FailureKind::SlowerInNetwork;
    record.defaultSchedule = standard;
    records->append(record);
  }
  options.interrupted = [&] { return !decided.empty(); };
  options.retriesHandBacks = true;
  unsigned measured = 0;
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    measured += request.identity.schedule == digestOf(given);
    if (request.identity.schedule == right && request.dataSeed == 2)
      decided = request.identity.scope.exactHash;
    return answerOf(request, [&](llvm::StringRef s) { return s != right; });
  });
  EXPECT_EQ(measured, 0u);
  ASSERT_FALSE(decided.empty());
  for (auto [task, result] : llvm::zip(tasks, outcome.tasks)) {
    EXPECT_EQ(result.triedAgain.count(given), 1u);
    bool isDecided = task.descriptor.exactHash == decided;
    EXPECT_TRUE(!isDecided || result.best == last);
  }
}

namespace {
/// The fastest speaks for all others.
struct FastestSpeaks : SampledTest {
  FastestSpeaks() { fastest = digestOf({"toy", {{"a", 8}, {"b", 4}}}); }

  /// What keeps a schedule from speaking for the others.
  bool mayNotSpeak(const MeasureRequest &request) const {
    const std::string &schedule = request.identity.schedule;
    return request.checkOnly && !schedule.empty() && schedule != fastest &&
           !confirmed.count(request.identity.scope.exactHash);
  }

  static MeasureResult failed(FailureKind kind) {
    MeasureResult result;
    result.failure = kind;
    return result;
  }

  std::string fastest;
  /// Tasks whose winner is being confirmed.
  std::set<std::string> confirmed;
};
} // namespace

TEST_F(FastestSpeaks, AWinnerThatIsWrongTakesTheDefaultsTimeAlong) {
  // It answers otherwise when it is measured once more; the default schedule
  // takes longer from then on.
  for (const SearchTask &task : tasks) {
    MeasurementRecord record = recordOf(task, candidates[standard]);
    record.samplesMicros = {rigged(candidates[standard])};
    record.comparedWith = fastest;
    records->append(record);
  }
  double later = rigged(candidates[standard]) + 1000;
  std::string decided;
  options.interrupted = [&] { return !decided.empty(); };
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    const std::string &hash = request.identity.scope.exactHash;
    const std::string &schedule = request.identity.schedule;
    if (schedule == fastest && request.calibrate)
      confirmed.insert(hash);
    if (mayNotSpeak(request))
      return failed(FailureKind::Unmeasurable);
    if (!confirmed.count(hash))
      return answerOf(request, [](llvm::StringRef) { return false; });
    if (schedule == fastest)
      return failed(FailureKind::WrongAnswer);
    MeasureResult result =
        answerOf(request, [](llvm::StringRef) { return false; });
    if (schedule == standard && !request.checkOnly) {
      decided = hash;
      result.samplesMicros.assign(5, later);
    }
    return result;
  });
  ASSERT_FALSE(decided.empty());
  for (auto [task, result] : llvm::zip(tasks, outcome.tasks)) {
    EXPECT_TRUE(task.descriptor.exactHash != decided ||
                result.defaultMicros == later);
  }
}

TEST_F(FastestSpeaks, AWinnerThatTheDefaultRefutesIsCountedOnce) {
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    const std::string &hash = request.identity.scope.exactHash;
    if (request.identity.schedule == standard && request.calibrate)
      confirmed.insert(hash);
    if (mayNotSpeak(request))
      return failed(FailureKind::Unmeasurable);
    return answerOf(request, [&](llvm::StringRef s) {
      return confirmed.count(hash) && s == fastest;
    });
  });
  EXPECT_EQ(confirmed.size(), tasks.size());
  EXPECT_EQ(linesWith(recordsText(), "wrong-answer"), tasks.size());
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_EQ(task.failures.at(FailureKind::WrongAnswer), 1u);
    EXPECT_NE(digestOf(*task.best), fastest);
  }
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
