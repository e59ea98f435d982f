// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where plain loops would take long, samples of the right answer come first,
// then the answer of a schedule, and an exact value where two disagree.

#include "SampledFixture.h"

using namespace diffuse;

namespace {
using SampledReferences = SampledTest;
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
