// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole loop under rigged measurements: no code is compiled or run.

#include "ToyTasks.h"

#include "Diffuse/Measure/FakeMeasurer.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Tuning/NullCompiler.h"
#include "Diffuse/Tuning/Tuner.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace diffuse;

namespace {
struct TunerTest : ToyTasks {
  TunerTest() {
    for (SearchTask &task : tasks) {
      // Different subgraphs must not share records.
      task.descriptor.exactHash[0] =
          static_cast<char>('b' + tuningTasks.size());
      task.descriptor.familyHash = std::string(32, 'f');
      tuningTasks.push_back({task.descriptor.name, "module {}", {}});
    }
    for (int64_t a : {1, 2, 4, 8, 16, 32})
      for (int64_t b : {1, 2, 4, 8, 16}) {
        Candidate candidate{"toy", {{"a", a}, {"b", b}}};
        candidates[digestOf(candidate)] = candidate;
      }
    options.clock = [] { return 0.0; };
    options.budget.measurements = 60;
    options.scratch = ::testing::TempDir();
    records = openRecordStore({});
  }

  std::string digestOf(const Candidate &candidate) {
    auto schedule =
        instantiate(tasks[0].sketches[0], candidate.choices, "schedule");
    EXPECT_TRUE(mlir::succeeded(schedule));
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*schedule)->print(stream);
    return stableHash(text).str();
  }

  /// Answers with the bowl of ToyTasks.
  MeasureResult answer(const MeasureRequest &request) {
    ++requests;
    MeasureResult result;
    if (request.checkOnly || request.identity.schedule.empty())
      return result;
    auto found = candidates.find(request.identity.schedule);
    EXPECT_NE(found, candidates.end());
    result.samplesMicros.assign(5, rigged(found->second));
    return result;
  }

  TuningOutcome run(FakeMeasurer::Rig rig) {
    auto strategy = llvm::cantFail(
        createStrategy(options.strategy, tasks, target, options.seed));
    FakeMeasurer measurer(std::move(rig));
    NullCompiler compiler;
    ProgressSink progress;
    return tune(&context, tuningTasks, tasks, target, options, *strategy,
                compiler, measurer, *records, progress);
  }
  TuningOutcome run() {
    return run(
        [this](const MeasureRequest &request) { return answer(request); });
  }

  std::string recordsText() {
    std::string text;
    for (const MeasurementRecord *record :
         records->lookupFamily(std::string(32, 'f')))
      text += toJson(*record).dump() + "\n";
    return text;
  }

  std::vector<TuningTask> tuningTasks;
  std::map<std::string, Candidate> candidates;
  TunerOptions options;
  std::unique_ptr<RecordStore> records;
  unsigned requests = 0;
};
} // namespace

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

TEST_F(TunerTest, SecondRunMeasuresNothingItKnows) {
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

TEST_F(TunerTest, SameSeedSameRecords) {
  run();
  std::string first = recordsText();
  records = openRecordStore({});
  run();
  EXPECT_EQ(first, recordsText());
  EXPECT_FALSE(first.empty());
}
