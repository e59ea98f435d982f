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

  /// Where a schedule is wrong, if it is.
  std::vector<int64_t> placeOf(const std::string &schedule) const {
    auto found = places.find(schedule);
    return found == places.end() ? std::vector<int64_t>{401, 399}
                                 : found->second;
  }

  /// As answer does; candidates for which `isWrong` are wrong in one place,
  /// which shows where that element is known.
  MeasureResult answerOf(const MeasureRequest &request,
                         llvm::function_ref<bool(llvm::StringRef)> isWrong) {
    seen.push_back(request);
    MeasureResult result = answer(request);
    bool isCandidate = !request.identity.schedule.empty();
    if (!isCandidate)
      return result;
    std::string schedule = request.identity.schedule;
    bool wrong = isWrong(schedule);
    for (auto [i, reference] : llvm::enumerate(request.references)) {
      std::string author = authors[reference.path];
      bool expected = reference.tiles.empty() && isWrong(author);
      std::vector<int64_t> place = placeOf(wrong ? schedule : author);
      bool knows =
          reference.tiles.empty() ||
          llvm::is_contained(reference.tiles, OutputTile{0, place, {1, 1}});
      if (knows && wrong != expected) {
        result.failure = FailureKind::WrongAnswer;
        result.samplesMicros.clear();
        result.wrongReference = unsigned(i);
        result.wrongElement = AnswerElement{0, place};
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

  /// Whether this makes samples that hold an element somebody asked for.
  static bool isAsked(const MeasureRequest &request) {
    return request.identity.schedule.empty() &&
           request.boundary.back().extents == std::vector<int64_t>({1, 1});
  }

  std::string standard;
  /// By schedule: where it is wrong.
  std::map<std::string, std::vector<int64_t>> places;
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

namespace {
/// Takes in no samples at first, and no two texts by one name.
struct FaultyCompiler : NullCompiler {
  llvm::Error addSubgraph(llvm::StringRef hash, llvm::StringRef text,
                          llvm::StringRef) override {
    if (hash.contains(".sample") && faults > 0) {
      --faults;
      return llvm::createStringError("the server died");
    }
    auto known = texts.try_emplace(hash.str(), text.str()).first;
    EXPECT_EQ(known->second, text) << hash.str();
    return llvm::Error::success();
  }
  unsigned faults = 0;
  std::map<std::string, std::string> texts;
};
} // namespace

TEST_F(SampledReferences, AFaultDoesNotMakeItTooSlow) {
  FaultyCompiler faulty;
  faulty.faults = 1;
  compiler = &faulty;
  for (SearchTask &task : tasks)
    task.descriptor.flops = 1e13;
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    return answerOf(request, [](llvm::StringRef) { return false; });
  });
  for (const TaskOutcome &task : outcome.tasks) {
    EXPECT_EQ(task.unverified, "");
    EXPECT_EQ(task.bestMicros, 100.0);
  }
}

TEST_F(SampledReferences, NothingIsMeasuredWithoutAReference) {
  // Samples that hold the element in question cannot be made.
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    MeasureResult result =
        answerOf(request, [&](llvm::StringRef s) { return s == standard; });
    if (isAsked(request))
      result.failure = FailureKind::Unmeasurable;
    return result;
  });
  for (const MeasureRequest &request : seen)
    EXPECT_TRUE(request.identity.schedule.empty() ||
                !request.references.empty());
}

TEST_F(SampledReferences, SamplesOfOtherElementsHaveOtherNames) {
  FaultyCompiler names;
  compiler = &names;
  std::string first = digestOf({"toy", {{"a", 8}, {"b", 4}}});
  std::string second = digestOf({"toy", {{"a", 8}, {"b", 8}}});
  places[first] = {301, 299};
  bool isFirst = true;
  runReal([&](const MeasureRequest &request) {
    MeasureResult result = answerOf(
        request, [&](llvm::StringRef s) { return s == first || s == second; });
    if (isAsked(request) && request.dataSeed == 2 &&
        std::exchange(isFirst, false))
      result.failure = FailureKind::RunCrash;
    return result;
  });
  EXPECT_FALSE(isFirst);
}
