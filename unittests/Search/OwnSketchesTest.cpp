// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategies over a user's sketch: no roles, no model, knobs that are
// choices only inside the alternatives taken, and a default that is not its.

#include "Diffuse/Search/CostModel.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Search/SearchStrategy.h"
#include "Diffuse/Sketch/LoopNest.h"
#include "ToyTasks.h"

#include <cmath>
#include <map>
#include <set>

using namespace diffuse;

static constexpr llvm::StringLiteral kOwnSketch = R"mlir(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @own(%func: !transform.any_op {transform.readonly}) {
    %a = transform.tune.knob<"a"> options = [1, 2, 4] -> !transform.param<i64>
    transform.tune.alternatives<"form"> {
      %b = transform.tune.knob<"b"> options = [1, 2, 4, 8] -> !transform.param<i64>
      transform.yield
    }, {
      %c = transform.tune.knob<"c"> options = [1, 2] -> !transform.param<i64>
      %d = transform.tune.knob<"d"> options = [1, 2] -> !transform.param<i64>
      transform.yield
    }, {
      transform.yield
    }
    transform.yield
  }
}
)mlir";
/// 3 x (4 + 2 x 2 + 1)
static constexpr unsigned kOwnPoints = 27;

namespace {
struct OwnSketches : ToyTasks {
  OwnSketches() {
    auto library = SketchLibrary::parse(kOwnSketch, "own.mlir", &context);
    EXPECT_TRUE(mlir::succeeded(library));
    for (SearchTask &task : tasks) {
      task.defaultSketches = task.sketches;
      task.sketches.clear();
      for (const BoundSketch &sketch : library->bind(task.descriptor, target))
        task.sketches.push_back(sketch);
      EXPECT_EQ(task.sketches.size(), 1u);
    }
  }

  /// All that a strategy suggests, by task, with rigged times; as in a run the
  /// default schedules are heard of first.
  std::vector<std::set<Choices>> exhaust(llvm::StringRef name) {
    auto strategy = llvm::cantFail(createStrategy(name, tasks, target, 1));
    std::vector<std::set<Choices>> seen(tasks.size());
    for (unsigned task = 0; task < tasks.size(); ++task)
      strategy->observe({task, *defaultOf(tasks[task], target), 90.0});
    for (unsigned count = 0; count < 4 * kOwnPoints; ++count) {
      std::vector<Suggestion> next = strategy->suggest(1);
      if (next.empty())
        break;
      const Candidate &candidate = next.front().candidate;
      EXPECT_EQ(candidate.sketch, "own");
      EXPECT_TRUE(isLegal(tasks[next.front().task], target, candidate));
      EXPECT_TRUE(seen[next.front().task].insert(candidate.choices).second);
      double micros = 80 + candidate.choices.at("a");
      strategy->observe({next.front().task, candidate, micros});
    }
    return seen;
  }
};
} // namespace

TEST_F(OwnSketches, ExhaustiveSearchMeetsEveryPointOnce) {
  for (const std::set<Choices> &seen : exhaust("exhaustive"))
    EXPECT_EQ(seen.size(), kOwnPoints);
}

TEST_F(OwnSketches, EveryStrategySearchesThemAlone) {
  for (llvm::StringRef name : strategyNames()) {
    size_t total = 0;
    for (const std::set<Choices> &seen : exhaust(name)) {
      EXPECT_GT(seen.size(), 0u) << name.str();
      total += seen.size();
    }
    EXPECT_GT(total, tasks.size()) << name.str();
  }
}

TEST_F(OwnSketches, TheDefaultIsNoneOfThem) {
  std::optional<Candidate> byDefault = defaultOf(tasks[0], target);
  ASSERT_TRUE(byDefault);
  EXPECT_EQ(byDefault->sketch, "toy");
  EXPECT_TRUE(isKnown(tasks[0], target, *byDefault));
  EXPECT_FALSE(isLegal(tasks[0], target, *byDefault));
  EXPECT_TRUE(neighboursOf(tasks[0], target, *byDefault).empty());
  EXPECT_FALSE(projectCopy(tasks[0], target, *byDefault));
  tasks[0].defaultSketches->clear();
  EXPECT_FALSE(defaultOf(tasks[0], target));
}

TEST_F(OwnSketches, NeighboursOpenAndCloseKnobs) {
  Candidate center{"own", {{"a", 2}, {"form", 1}, {"c", 1}, {"d", 2}}};
  std::set<Choices> around;
  for (const Candidate &near : neighboursOf(tasks[0], target, center))
    around.insert(near.choices);
  EXPECT_TRUE(around.count({{"a", 2}, {"form", 0}, {"b", 1}}));
  EXPECT_TRUE(around.count({{"a", 2}, {"form", 2}}));
  EXPECT_TRUE(around.count({{"a", 4}, {"form", 1}, {"c", 1}, {"d", 2}}));
  EXPECT_EQ(around.size(), 6u);
}

TEST_F(OwnSketches, FeaturesSayWhatIsMissing) {
  Candidate one{"own", {{"a", 2}, {"form", 0}, {"b", 4}}};
  Candidate other{"own", {{"a", 2}, {"form", 1}, {"c", 1}, {"d", 2}}};
  FeatureRow left = costFeatures(tasks[0], target, one);
  FeatureRow right = costFeatures(tasks[0], target, other);
  FeatureRow modelled =
      costFeatures(tasks[0], target, *defaultOf(tasks[0], target));
  EXPECT_EQ(left.size(), right.size());
  EXPECT_EQ(left.size(), modelled.size());
  size_t model = featureNames().size() + 1;
  for (size_t i = 0; i < model; ++i) {
    EXPECT_TRUE(std::isnan(left[i]));
    EXPECT_FALSE(std::isnan(modelled[i]));
  }
  // a, form, b, c, d after the number of the sketch.
  EXPECT_EQ(left[model + 1], right[model + 1]);
  EXPECT_EQ(left[model + 3], std::log2(5.0));
  EXPECT_TRUE(std::isnan(right[model + 3]));
  EXPECT_EQ(estimateMicros(tasks[0], target, one),
            estimateMicros(tasks[0], target, other));
}
