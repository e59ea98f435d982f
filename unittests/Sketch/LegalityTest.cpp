// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Subgraphs.h"

#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Sketch/Legality.h"
#include "Diffuse/Sketch/LoopNest.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

static Choices contractionChoices(int64_t mr, int64_t nr, int64_t kc,
                                  int64_t mb = 1) {
  return {{"mr", mr}, {"nr", nr}, {"kc", kc},
          {"mb", mb}, {"nb", 1},  {"order", 0}};
}

static std::string check(Workbench &bench, const SubgraphDescriptor &descriptor,
                         const TargetDescription &target, StringRef sketch,
                         const Choices &choices) {
  BoundSketch bound = bench.bind(descriptor, target, sketch);
  return checkCandidate(descriptor, target, bound, choices).value_or("");
}

TEST(Legality, RegisterTilesFitTheRegisterFile) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printContraction({0, 128, 128, 128}));
  auto reason = [&](const TargetDescription &target, int64_t mr, int64_t nr) {
    return check(bench, d, target, "contraction_tile",
                 contractionChoices(mr, nr, 128));
  };
  EXPECT_EQ(reason(wideTarget(), 8, 32), "");
  EXPECT_EQ(reason(wideTarget(), 12, 64),
            "register tile of 12x64 needs 57 of 32 vector registers");
  EXPECT_EQ(reason(narrowTarget(), 6, 16), "");
  EXPECT_EQ(reason(narrowTarget(), 8, 32),
            "register tile of 8x32 needs 37 of 16 vector registers");
}

TEST(Legality, BlocksDoNotReachFarPastTheExtent) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printContraction({0, 31, 64, 64}));
  EXPECT_EQ(check(bench, d, wideTarget(), "contraction_tile",
                  contractionChoices(8, 32, 64, 4)),
            "");
  EXPECT_EQ(check(bench, d, wideTarget(), "contraction_tile",
                  contractionChoices(8, 32, 64, 8)),
            "block of 64 rows is more than twice the 31 there are");
}

TEST(Legality, PatchesMakeWholeRegisterRows) {
  Workbench bench;
  SubgraphDescriptor d =
      bench.describe(printWindow({"conv_2d_nchw_fchw", 8, 28, 64, 3, 1, 1}));
  Choices choices = {{"h", 1},  {"w", 28},  {"fb", 64},
                     {"mr", 8}, {"nr", 32}, {"kc", 128}};
  EXPECT_EQ(check(bench, d, wideTarget(), "convolution_im2col", choices),
            "register row of 28 elements is no power of two of vectors of 16");
  choices["nr"] = 16;
  EXPECT_EQ(check(bench, d, wideTarget(), "convolution_im2col", choices), "");
}

TEST(Legality, RestsOfFiltersAreRegisterRows) {
  Workbench bench;
  SubgraphDescriptor d =
      bench.describe(printWindow({"conv_2d_nhwc_hwcf", 8, 14, 56, 3, 1, 1}));
  Choices choices = {{"w", 4}, {"nf", 32}, {"order", 0}};
  EXPECT_EQ(check(bench, d, wideTarget(), "convolution_nhwc", choices),
            "register row of 24 elements is no power of two of vectors of 16");
  choices["nf"] = 16;
  EXPECT_EQ(check(bench, d, wideTarget(), "convolution_nhwc", choices), "");
}

TEST(Legality, ChoicesAreThoseOfTheSketch) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printContraction({0, 31, 64, 64}));
  Choices choices = contractionChoices(8, 32, 64);
  choices["mr"] = 5;
  EXPECT_EQ(check(bench, d, wideTarget(), "contraction_tile", choices),
            "choice 5 for knob 'mr' is not in its domain");
  choices.erase("mr");
  EXPECT_EQ(check(bench, d, wideTarget(), "contraction_tile", choices),
            "no choice for knob 'mr'");
  choices = contractionChoices(8, 32, 64);
  choices["mine"] = 1;
  EXPECT_EQ(check(bench, d, wideTarget(), "contraction_tile", choices),
            "sketch 'contraction_tile' has no knob 'mine'");
}

TEST(Legality, DefaultsAreLegalAndTheSameEveryTime) {
  Workbench bench;
  for (const std::string &text :
       {printContraction({0, 97, 101, 103}), printContraction({12, 7, 31, 64}),
        printContraction({0, 1, 1000, 56, true}),
        printWindow({"conv_2d_nchw_fchw", 3, 37, 13, 3, 1, 1}),
        printWindow({"conv_2d_nchw_fchw", 16, 14, 41, 5, 2, 2})}) {
    SubgraphDescriptor d = bench.describe(text);
    for (const TargetDescription &target : {wideTarget(), narrowTarget()}) {
      auto bound = bench.library.bind(d, target);
      Candidate candidate = defaultCandidate(d, target, bound);
      EXPECT_EQ(candidate, defaultCandidate(d, target, bound));
      for (const BoundSketch &sketch : bound)
        if (sketch.name() == candidate.sketch) {
          EXPECT_EQ(checkCandidate(d, target, sketch, candidate.choices),
                    std::nullopt);
        }
    }
  }
}

/// A space that is walked by a stride, and a first knob that has a factor in
/// common with the least of them.
TEST(Legality, DefaultIsSoughtAmongAllValuesOfAKnob) {
  Workbench bench;
  auto library = SketchLibrary::parse(R"(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine__tensor(%func: !transform.any_op {transform.readonly})
      attributes {diffuse.sketch = {anchors = ["elementwise"]}} {
    %v = transform.tune.knob<"v"> options = [1, 32] -> !transform.param<i64>
    %a = transform.tune.knob<"a"> options = {lb = 1, step = 1, ub = 200} -> !transform.param<i64>
    %b = transform.tune.knob<"b"> options = {lb = 1, step = 1, ub = 200} -> !transform.param<i64>
    %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
    %block, %loops:2 = transform.structured.fuse %root tile_sizes [1, %v] {diffuse.walk = ["outer", "inner"], diffuse.of = "root"}
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
})",
                                      "mine.mlir", &bench.context);
  ASSERT_TRUE(succeeded(library));
  SubgraphDescriptor d = bench.describe(printElementwise(64, 64));
  auto bound = library->bind(d, wideTarget());
  ASSERT_EQ(bound.size(), 1u);
  EXPECT_EQ(bound.front().spaceSize(), 80000);
  EXPECT_EQ(defaultCandidate(d, wideTarget(), bound).choices.at("v"), 32);
}

TEST(Instantiate, LeavesNothingOpen) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printContraction({2, 31, 64, 64}));
  BoundSketch bound = bench.bind(d, wideTarget(), "contraction_tile");
  auto module = instantiate(bound, contractionChoices(8, 32, 64), "name");
  ASSERT_TRUE(succeeded(module));
  std::string text;
  llvm::raw_string_ostream(text) << **module;
  EXPECT_NE(text.find("@name__tensor"), std::string::npos);
  EXPECT_EQ(text.find("tune."), std::string::npos);
  EXPECT_EQ(text.find("transform.include"), std::string::npos);
  EXPECT_EQ(text.find("diffuse.walk"), std::string::npos);
  EXPECT_EQ(text.find("diffuse.role"), std::string::npos);
  // The batch loop is there, and tiles are in the places of its other loops.
  EXPECT_NE(text.find("tile_sizes [1, 8, 32]"), std::string::npos);
}

TEST(Instantiate, RefusesChoicesOutsideTheDomains) {
  Workbench bench;
  std::string message;
  ScopedDiagnosticHandler handler(&bench.context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  SubgraphDescriptor d = bench.describe(printContraction({0, 31, 64, 64}));
  BoundSketch bound = bench.bind(d, wideTarget(), "contraction_tile");
  EXPECT_TRUE(failed(instantiate(bound, contractionChoices(5, 32, 64), "s")));
  EXPECT_EQ(message, "choice 5 for knob 'mr' is not in its domain");
}

TEST(LoopNest, FeaturesHaveNames) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printContraction({0, 31, 64, 64}));
  BoundSketch bound = bench.bind(d, wideTarget(), "contraction_tile");
  LoopNest nest =
      modelLoopNest(d, wideTarget(), bound, contractionChoices(8, 32, 64));
  EXPECT_EQ(features(nest, wideTarget()).size(), featureNames().size());
}
