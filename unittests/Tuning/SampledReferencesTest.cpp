// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where plain loops would take long, samples of the right answer come first,
// then the answer of a schedule, and an exact value where two disagree.

#include "TunerFixture.h"

using namespace diffuse;

namespace {
struct SampledReferences : TunerTest {
  using Kind = BoundaryArgument::Kind;

  SampledReferences() {
    options.strategy = "exhaustive";
    options.budget.measurements = 300;
    options.stopGain = 0;
    for (auto [task, searched] : llvm::zip(tuningTasks, tasks)) {
      searched.descriptor.flops = 2.0 * 700 * 700 * 700;
      task.text = text(task.function);
      task.boundary = {{Kind::Input, "f32", {700, 700}, "a"},
                       {Kind::Input, "f32", {700, 700}, "b"},
                       {Kind::Destination, "f32", {700, 700}, "d"}};
    }
    standard = digestOf(
        defaultCandidate(tasks[0].descriptor, target, tasks[0].sketches));
  }

  static std::string text(const std::string &function) {
    return "func.func @" + function + R"((%a: tensor<700x700xf32>,
        %b: tensor<700x700xf32>,
        %d: tensor<700x700xf32> {diffuse.destination}) -> tensor<700x700xf32>
        attributes {diffuse.subgraph} {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%d : tensor<700x700xf32>)
      -> tensor<700x700xf32>
  %r = linalg.matmul ins(%a, %b : tensor<700x700xf32>, tensor<700x700xf32>)
      outs(%f : tensor<700x700xf32>) -> tensor<700x700xf32>
  %m = bufferization.materialize_in_destination %r in %d
      : (tensor<700x700xf32>, tensor<700x700xf32>) -> tensor<700x700xf32>
  return %m : tensor<700x700xf32>
})";
  }

  /// As answer does; candidates for which `isWrong` are wrong at [401, 399],
  /// which shows where that element is known.
  MeasureResult answerOf(const MeasureRequest &request,
                         llvm::function_ref<bool(llvm::StringRef)> isWrong) {
    seen.push_back(request);
    MeasureResult result = answer(request);
    bool isCandidate = !request.identity.schedule.empty();
    if (!isCandidate)
      return result;
    bool wrong = isWrong(request.identity.schedule);
    for (auto [i, reference] : llvm::enumerate(request.references)) {
      bool knows = reference.tiles.empty() ||
                   llvm::is_contained(reference.tiles, kElement);
      bool expected =
          reference.tiles.empty() && isWrong(authors[reference.path]);
      if (knows && wrong != expected) {
        result.failure = FailureKind::WrongAnswer;
        result.samplesMicros.clear();
        result.wrongReference = unsigned(i);
        result.wrongElement = AnswerElement{0, {401, 399}};
        return result;
      }
    }
    if (!request.writeOutputs.empty())
      authors[request.writeOutputs] = request.identity.schedule;
    return result;
  }

  /// The requests for the first task.
  std::vector<MeasureRequest> ofFirstTask() const {
    std::vector<MeasureRequest> found;
    for (const MeasureRequest &request : seen)
      if (request.identity.scope.exactHash == tasks[0].descriptor.exactHash)
        found.push_back(request);
    return found;
  }

  const OutputTile kElement{0, {401, 399}, {1, 1}};
  std::string standard;
  /// By file: the schedule whose outputs it holds.
  std::map<std::string, std::string> authors;
  std::vector<MeasureRequest> seen;
};
} // namespace

TEST_F(SampledReferences, TheFirstScheduleThatPassesTwiceSpeaksForAll) {
  runReal([&](const MeasureRequest &request) {
    return answerOf(request, [](llvm::StringRef) { return false; });
  });
  std::vector<MeasureRequest> requests = ofFirstTask();
  ASSERT_GE(requests.size(), 6u);
  for (unsigned i : {0, 2}) {
    EXPECT_TRUE(requests[i].identity.schedule.empty());
    EXPECT_TRUE(requests[i].checkOnly);
    EXPECT_GE(requests[i].boundary.size(), 10u) << "a result for each tile";
    EXPECT_EQ(requests[i].boundary[1].extents,
              std::vector<int64_t>({700, 700}));
    EXPECT_NE(requests[i].boundary[2].extents,
              std::vector<int64_t>({700, 700}));
  }
  for (unsigned i : {1, 3}) {
    EXPECT_EQ(requests[i].identity.schedule, standard);
    EXPECT_EQ(requests[i].dataSeed, i == 1 ? 1u : 2u);
    EXPECT_EQ(requests[i].checkOnly, i == 3);
    ASSERT_EQ(requests[i].references.size(), 1u);
    EXPECT_EQ(requests[i].references[0].path, requests[i - 1].writeOutputs);
    EXPECT_EQ(requests[i].references[0].tiles.size() + 2,
              requests[i - 1].boundary.size());
  }
  for (unsigned i = 4; i < requests.size(); ++i) {
    ASSERT_EQ(requests[i].references.size(), 2u) << "tiles, and everything";
    const ExpectedOutputs &whole = requests[i].references[1];
    unsigned from = requests[i].dataSeed == 1 ? 1 : 3;
    EXPECT_EQ(whole.path, requests[from].writeOutputs);
    EXPECT_TRUE(whole.tiles.empty());
    EXPECT_EQ(whole.toleranceFactor, 2);
    EXPECT_TRUE(requests[i].writeOutputs.empty());
  }
}

TEST_F(SampledReferences, WhatIsWrongOutsideTheSamplesIsFound) {
  std::string wrong = digestOf({"toy", {{"a", 8}, {"b", 4}}});
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    return answerOf(request, [&](llvm::StringRef s) { return s == wrong; });
  });
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_NE(digestOf(*task.best), wrong);
    EXPECT_EQ(task.failures.count(FailureKind::WrongAnswer), 1u);
    EXPECT_FALSE(task.defaultFailure);
  }
  EXPECT_EQ(recordsText().find("no sample had been taken"), std::string::npos);
  EXPECT_EQ(ofFirstTask().back().references.size(), 2u);
}

TEST_F(SampledReferences, WhoRefutesAnotherMayFailOnTheSecondSeed) {
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

TEST_F(SampledReferences, AnExactValueRefutesTheFirstSchedule) {
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
}
