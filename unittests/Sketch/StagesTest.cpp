// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of subgraphs of several stages, and the sketches that are
// composed for them.

#include "StagedSubgraphs.h"
#include "Subgraphs.h"

#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Legality.h"
#include "Diffuse/Sketch/LoopNest.h"
#include "Diffuse/Sketch/Space.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

static SmallVector<unsigned> list(std::initializer_list<unsigned> loops) {
  return SmallVector<unsigned>(loops);
}

TEST(Stages, EachHasAnAnchorAndDimensionsOfItsOwn) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printAttention({3, 8, 20, 16}));
  ASSERT_EQ(d.stages.size(), 6u);
  EXPECT_EQ(d.anchor, AnchorKind::Contraction);
  std::vector<AnchorKind> kinds;
  for (const SubgraphDescriptor &stage : d.stages)
    kinds.push_back(stage.anchor);
  EXPECT_EQ(kinds,
            (std::vector{AnchorKind::Contraction, AnchorKind::Reduction,
                         AnchorKind::Elementwise, AnchorKind::Reduction,
                         AnchorKind::Elementwise, AnchorKind::Contraction}));
  double flops = 0;
  for (const SubgraphDescriptor &stage : d.stages)
    flops += stage.flops;
  EXPECT_EQ(flops, d.flops);
  // Scores are written by one stage and read by another, never by the whole.
  EXPECT_EQ(d.stages[1].bytes, 4.0 * (3 * 8 * 20 + 3 * 8));
  EXPECT_EQ(d.bytes, 4.0 * (2 * 8 + 2 * 20) * 3 * 16);
}

TEST(Stages, OneLoopCutsBatchAndRowsOfAll) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printAttention({3, 8, 20, 16}));
  for (const SubgraphDescriptor &stage : d.stages) {
    EXPECT_EQ(stage.batchLoops, list({0}));
    EXPECT_EQ(stage.blockLoop, 1u);
  }
}

TEST(Stages, RowsOfTheImageAreCut) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printSeparable({16, 2, 3, 6}));
  ASSERT_EQ(d.stages.size(), 2u);
  EXPECT_TRUE(d.stages[0].batchLoops.empty());
  EXPECT_EQ(d.stages[0].blockLoop, 2u);
  EXPECT_EQ(d.stages[1].blockLoop, 0u);
}

TEST(Stages, RowsOfGatedProductsAreCutAndTheirColumnsAreNot) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printGated({6, 7, 33, 5}));
  ASSERT_EQ(d.stages.size(), 3u);
  for (const SubgraphDescriptor &stage : d.stages) {
    EXPECT_TRUE(stage.batchLoops.empty());
    EXPECT_EQ(stage.blockLoop, 0u);
  }
}

TEST(Stages, WhatIsReadWholeIsNotCut) {
  Workbench bench;
  // The maximum over all rows of a head is of no row.
  std::string text = printAttention({3, 8, 20, 16});
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  };
  replaceAll("affine_map<(h, i, j) -> (h, i)>",
             "affine_map<(h, i, j) -> (h, j)>");
  replaceAll("\"parallel\", \"parallel\", \"reduction\"] ",
             "\"parallel\", \"reduction\", \"parallel\"] ");
  replaceAll("[\"parallel\", \"parallel\", \"reduction\"]}",
             "[\"parallel\", \"reduction\", \"parallel\"]}");
  replaceAll("tensor<3x8xf32>", "tensor<3x20xf32>");
  SubgraphDescriptor d = bench.describe(text);
  ASSERT_EQ(d.stages.size(), 6u);
  EXPECT_EQ(d.stages[0].batchLoops, list({0}));
  EXPECT_FALSE(d.stages[0].blockLoop);
}

TEST(Stages, KnobsAreThoseOfEachStageAndTheLoopAround) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printSeparable({16, 2, 3, 6}));
  BoundSketch sketch =
      bench.bind(d, wideTarget(), "window_blocked+contraction_blocked");
  EXPECT_EQ(sketch.parts().size(), 2u);
  ASSERT_TRUE(sketch.findKnob("s0.h") && sketch.findKnob("s1.mr"));
  EXPECT_EQ(sketch.findKnob("s1.mr")->dim, "s1.rows");
  EXPECT_EQ(sketch.extentOf("s1.rows"), 6);
  ASSERT_TRUE(sketch.findKnob("block"));
  EXPECT_EQ(sketch.findKnob("block")->domain, (SmallVector<int64_t>{1, 2, 3}));
  EXPECT_EQ(sketch.extentOf("block"), 6);
  EXPECT_TRUE(sketch.isModelled());
}

TEST(Stages, WhereNoBlockDividesTheRowsOneHoldsAll) {
  Workbench bench;
  for (int64_t rows : {7, 577}) {
    SubgraphDescriptor d = bench.describe(printAttention({2, rows, 5, 4}));
    for (const BoundSketch &sketch : bench.library.bind(d, wideTarget()))
      EXPECT_EQ(sketch.findKnob("block")->domain,
                (SmallVector<int64_t>{1, rows}));
  }
}

TEST(Stages, CountIsThatOfTheCandidates) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printSeparable({16, 2, 1, 4}));
  BoundSketch sketch =
      bench.bind(d, wideTarget(), "window_blocked+contraction_blocked");
  double count = 0;
  for (std::optional<Choices> choices = completeChoices(sketch, {}); choices;
       choices = nextChoices(sketch, *choices))
    count += !checkCandidate(d, wideTarget(), sketch, *choices);
  EXPECT_GT(count, 0);
  EXPECT_EQ(countCandidates(d, wideTarget(), sketch), count);
}

TEST(Stages, ReasonsNameTheStage) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printSeparable({16, 2, 3, 14}));
  BoundSketch sketch =
      bench.bind(d, narrowTarget(), "window_blocked+contraction_blocked");
  Choices choices = defaultCandidate(d, narrowTarget(), {sketch}).choices;
  choices["s1.mr"] = 14;
  choices["s1.nr"] = 16;
  auto reason = checkCandidate(d, narrowTarget(), sketch, choices);
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("stage 1: register tile of 14x16"), std::string::npos)
      << *reason;
}

/// The fastest by the model of those with that `fuse`, the rest as by default.
static double bestMicros(const SubgraphDescriptor &d, const BoundSketch &sketch,
                         int64_t fuse) {
  double best = INFINITY;
  Choices choices = defaultCandidate(d, wideTarget(), {sketch}).choices;
  choices.erase("block");
  choices["fuse"] = fuse;
  SmallVector<int64_t> blocks = {0};
  if (fuse)
    blocks = sketch.findKnob("block")->domain;
  for (int64_t block : blocks) {
    if (fuse)
      choices["block"] = block;
    best = std::min(
        best, analyticMicros(modelLoopNest(d, wideTarget(), sketch, choices),
                             wideTarget()));
  }
  return best;
}

TEST(Stages, TheModelFusesWhatNoCacheHolds) {
  Workbench bench;
  for (bool isLong : {false, true}) {
    SubgraphDescriptor d = bench.describe(
        printAttention({12, isLong ? 4096 : 16, isLong ? 4096 : 16, 64}));
    auto sketches = bench.library.bind(d, wideTarget());
    ASSERT_FALSE(sketches.empty());
    Candidate candidate = defaultCandidate(d, wideTarget(), sketches);
    EXPECT_EQ(candidate.choices.at("fuse"), isLong);
    const BoundSketch &sketch = *llvm::find_if(
        sketches, [&](auto &s) { return s.name() == candidate.sketch; });
    if (isLong) {
      EXPECT_LT(bestMicros(d, sketch, 1), 0.9 * bestMicros(d, sketch, 0));
    }
  }
}

TEST(Stages, StrictSumsGetPlainLoopsAndTheRestItsSchedules) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printAttention({3, 8, 20, 16}));
  auto sketches = bench.library.bind(d, wideTarget(), Numerics::Strict);
  ASSERT_EQ(sketches.size(), 1u);
  EXPECT_EQ(sketches[0].name(),
            "plain+plain+elementwise+plain+elementwise+plain");
}
