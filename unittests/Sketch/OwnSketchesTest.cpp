// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that a user wrote for other tools: what they leave open, which
// subgraphs they take, and what is written of a choice.

#include "Diffuse/Sketch/Legality.h"
#include "Diffuse/Sketch/LoopNest.h"
#include "Diffuse/Sketch/Space.h"
#include "Subgraphs.h"

#include "mlir/IR/Diagnostics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

namespace {
/// A module whose main sequence has `body`; `rest` stands beside it.
std::string makeFile(const std::string &body, const std::string &rest = "") {
  return R"(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%f: !transform.any_op {transform.readonly}) {
)" + body +
         "    transform.yield\n  }\n" + rest + "}\n";
}

struct OwnSketches : ::testing::Test {
  SketchLibrary parse(const std::string &text) {
    FailureOr<SketchLibrary> library =
        SketchLibrary::parse(text, "folder/mine.mlir", &bench.context);
    EXPECT_TRUE(succeeded(library));
    return succeeded(library) ? *library : SketchLibrary();
  }

  BoundSketch bind(const std::string &text, const std::string &subgraph) {
    return bench.bindOwn(text, subgraph);
  }
  BoundSketch bind(const std::string &text) {
    return bind(text, printContraction({0, 32, 48, 64}));
  }

  std::string whyNot(const std::string &text, const std::string &subgraph,
                     Numerics numerics = Numerics::Default) {
    return parse(text).whyNot("mine", bench.describe(subgraph), wideTarget(),
                              numerics);
  }

  Workbench bench;
};

/// Every point in the order of nextChoices.
std::vector<Choices> walk(const BoundSketch &sketch) {
  std::vector<Choices> points;
  std::optional<Choices> choices = completeChoices(sketch, {});
  for (; choices; choices = nextChoices(sketch, *choices))
    points.push_back(*choices);
  return points;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
} // namespace

static const char *const kNested = R"(
    %a = transform.tune.knob<"a"> options = [1, 2, 3] -> !transform.param<i64>
    transform.tune.alternatives<"form"> {
      %b = transform.tune.knob<"b"> options = {start = 2, stop = 8, step = 2} -> !transform.param<i64>
      transform.tune.alternatives<"inner"> {
        %c = transform.tune.knob<"c"> options = [true, false] -> !transform.any_param
        transform.yield
      }, {
        transform.yield
      }
      transform.yield
    }, {
      %d = transform.tune.knob<"d"> options = ["x", "y", "z"] -> !transform.any_param
      transform.yield
    }, {
      transform.yield
    }
)";

TEST_F(OwnSketches, KnobsOfAlternativesCountWhereTheyAreTaken) {
  BoundSketch sketch = bind(makeFile(kNested));
  EXPECT_EQ(sketch.name(), "mine");
  // 3 x (4 x (2 + 1) + 3 + 1)
  EXPECT_EQ(sketch.spaceSize(), 48);
  std::vector<Choices> points = walk(sketch);
  EXPECT_EQ(points.size(), 48u);
  EXPECT_EQ(std::set<Choices>(points.begin(), points.end()).size(), 48u);
  for (const Choices &point : points)
    EXPECT_EQ(checkChoices(sketch, point), std::nullopt);
  EXPECT_EQ(countCandidates(sketch.descriptor(), wideTarget(), sketch), 48);
  EXPECT_EQ(checkChoices(sketch, {{"a", 1}, {"form", 2}, {"d", 0}}),
            "knob 'd' is no choice under the alternatives chosen");
  EXPECT_EQ(checkChoices(sketch, {{"a", 1}, {"form", 1}}),
            "no choice for knob 'd'");
}

static std::string orNothing(const std::string &name, const std::string &body) {
  return "transform.tune.alternatives<\"" + name + "\"> {\n" + body +
         "transform.yield\n}, {\ntransform.yield\n}\n";
}

TEST_F(OwnSketches, SpacesThatHangTogetherAreBounded) {
  // Each x is open where its own form is 0 or `all` is: until that is decided,
  // every combination of forms leaves another set of them.
  constexpr unsigned kForms = 15;
  std::string forms, all;
  for (unsigned i = 0; i < kForms; ++i) {
    std::string number = std::to_string(i);
    std::string knob = "%x" + number + " = transform.tune.knob<\"x" + number +
                       "\"> options = [1, 2] -> !transform.param<i64>\n";
    forms += orNothing("form" + number, knob);
    all += knob;
  }
  double size = bind(makeFile(forms + orNothing("all", all))).spaceSize();
  double exact =
      std::pow(2, kForms) * std::pow(2, kForms) + std::pow(3, kForms);
  EXPECT_GT(size, exact) << "it was counted to the end";
  EXPECT_LE(size, 2 * std::pow(2, kForms) * std::pow(2, kForms))
      << "all of them open";
}

TEST_F(OwnSketches, ChoicesAreFilledIntoTheText) {
  BoundSketch sketch = bind(makeFile(kNested));
  std::string text = printSchedule(
      sketch, {{"a", 2}, {"form", 0}, {"b", 4}, {"inner", 0}, {"c", 1}});
  EXPECT_TRUE(contains(text, "knob<\"a\"> = 2 : i64 from options = [1, 2, 3]"));
  EXPECT_TRUE(contains(text, "alternatives<\"form\"> selected_region = 0"));
  EXPECT_TRUE(contains(text, "knob<\"b\"> = 4 : i64 from options = {start"));
  EXPECT_TRUE(contains(text, "alternatives<\"inner\"> selected_region = 0"));
  EXPECT_TRUE(contains(text, "knob<\"c\"> = false from options"));
  // What was not taken stays open.
  EXPECT_TRUE(contains(text, "knob<\"d\"> options = [\"x\", \"y\", \"z\"]"));
  EXPECT_TRUE(contains(text, "diffuse.selected = {a = 2 : i64, b = 4 : i64, "
                             "c = 1 : i64, form = 0 : i64, inner = 0 : i64, "
                             "sketch = \"mine\"}"));
  text = printSchedule(sketch, {{"a", 2}, {"form", 1}, {"d", 2}});
  EXPECT_TRUE(contains(text, "knob<\"d\"> = \"z\" from options"));
}

TEST_F(OwnSketches, OneNameIsOneChoice) {
  BoundSketch sketch = bind(makeFile(R"(
    %a = transform.tune.knob<"pick"> options = [0, 1] -> !transform.param<i64>
    transform.tune.alternatives<"one"> selected_region = %a : !transform.param<i64> {
      %b = transform.tune.knob<"t"> options = [1, 2] -> !transform.param<i64>
      transform.yield
    }, {
      transform.yield
    }
    transform.tune.alternatives<"two"> {
      %b = transform.tune.knob<"t"> options = [1, 2] -> !transform.param<i64>
      transform.yield
    }, {
      transform.yield
    }
)"));
  // pick and two; t where either asks for it.
  EXPECT_EQ(sketch.spaceSize(), 2 + 2 + 2 + 1);
  EXPECT_EQ(walk(sketch).size(), 7u);
  std::string text = printSchedule(sketch, {{"pick", 1}, {"t", 2}, {"two", 0}});
  EXPECT_TRUE(contains(text, "alternatives<\"one\"> selected_region = %"));
}

TEST_F(OwnSketches, WhatIsSelectedIsDecided) {
  BoundSketch sketch = bind(makeFile(R"(
    %a = transform.tune.knob<"a"> = 2 from options = [1, 2] -> !transform.param<i64>
    transform.tune.alternatives<"form"> selected_region = 1 {
      %b = transform.tune.knob<"b"> options = [1, 2] -> !transform.param<i64>
      transform.yield
    }, {
      %c = transform.tune.knob<"c"> options = [1, 2, 4] -> !transform.param<i64>
      transform.yield
    }
)"));
  EXPECT_EQ(sketch.spaceSize(), 3);
  ASSERT_EQ(sketch.knobs().size(), 1u);
  EXPECT_EQ(sketch.knobs().front().name, "c");
}

TEST_F(OwnSketches, SequencesThatItUsesComeAlong) {
  BoundSketch sketch = bind(makeFile(R"(
    %m = transform.structured.match ops{["linalg.generic"]} in %f : (!transform.any_op) -> !transform.any_op
    transform.include @tile failures(propagate) (%m) : (!transform.any_op) -> ()
)",
                                     R"(
  transform.named_sequence @tile(%m: !transform.any_op {transform.consumed}) {
    %n = transform.tune.knob<"n"> options = {divisors_of = "n", multiple_of = "lanes"} -> !transform.param<i64>
    %t, %l = transform.structured.tile_using_for %m tile_sizes [%n] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.loop.unroll %l {factor = 1, diffuse.bind = {factor = "u"}} : !transform.any_op
    %u = transform.tune.knob<"u"> options = [2, 4] -> !transform.param<i64>
    transform.yield
  }
)"));
  // Of 48 columns: 16 and 48.
  EXPECT_EQ(sketch.findKnob("n")->domain, llvm::SmallVector<int64_t>({16, 48}));
  std::string text = printSchedule(sketch, {{"n", 16}, {"u", 4}});
  EXPECT_TRUE(contains(text, "include @s__helper_tile"));
  EXPECT_TRUE(contains(text, "named_sequence @s__helper_tile("));
  EXPECT_TRUE(contains(text, "diffuse.bind = {factor = \"u\"}, factor = 4"));
  EXPECT_FALSE(contains(text, "specialize"));
}

static const char *const kMatmul = R"(
    %m = transform.structured.match ops{["linalg.matmul"]} in %f : (!transform.any_op) -> !transform.any_op
    %n = transform.tune.knob<"n"> options = [4, 8] -> !transform.param<i64>
    %t, %l = transform.structured.tile_using_for %m tile_sizes [%n] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
)";

TEST_F(OwnSketches, AnchorsGetTheirNamesBack) {
  std::string text = printSchedule(bind(makeFile(kMatmul)), {{"n", 4}});
  EXPECT_TRUE(contains(text, "transform.structured.specialize"));
  EXPECT_TRUE(contains(text, "include @s__written failures(propagate)"));
  EXPECT_TRUE(contains(text, "match ops{[\"linalg.matmul\"]} in %arg0"));
  // Upstream takes an operand that is read transposed for another one.
  text = printSchedule(
      bind(makeFile(kMatmul), printContraction({0, 8, 8, 8, true})),
      {{"n", 4}});
  EXPECT_FALSE(contains(text, "specialize"));
  EXPECT_TRUE(contains(
      text, "match ops{[\"linalg.generic\"]} attributes {diffuse.anchor} in"));
}

TEST_F(OwnSketches, TakeWhatTheyLookFor) {
  std::string file = makeFile(kMatmul);
  EXPECT_EQ(whyNot(file, printContraction({0, 8, 8, 8})), "");
  EXPECT_EQ(whyNot(file, printContraction({2, 8, 8, 8})),
            "it matches linalg.matmul, which is not there");
  EXPECT_EQ(whyNot(file, printElementwise(8, 8)),
            "it matches linalg.matmul, which is not there");
  EXPECT_EQ(whyNot(file, printContraction({0, 8, 8, 8}), Numerics::Strict),
            "under strict numerics no schedule takes sums of floating-point "
            "numbers");
  // What comes after a change may be of its own making.
  EXPECT_EQ(whyNot(makeFile(std::string(kMatmul) + R"(
    %x = transform.structured.match ops{["scf.for"]} in %f : (!transform.any_op) -> !transform.any_op
)"),
                   printContraction({0, 8, 8, 8})),
            "");
  EXPECT_EQ(whyNot(makeFile(R"(
    %x = transform.structured.match attributes{mine} in %f : (!transform.any_op) -> !transform.any_op
)"),
                   printContraction({0, 8, 8, 8})),
            "it matches the attribute mine, which is not there");
  EXPECT_EQ(whyNot(makeFile(R"(
    %x = transform.tune.knob<"x"> options = {divisors_of = "filter"} -> !transform.param<i64>
)"),
                   printContraction({0, 8, 8, 8})),
            "knob 'x' speaks of the dimension filter, which is not there");
}

TEST_F(OwnSketches, NothingIsKnownOfTheirLoops) {
  BoundSketch sketch = bind(makeFile(kMatmul));
  EXPECT_FALSE(sketch.isModelled());
  for (const Choices &point : walk(sketch))
    EXPECT_EQ(checkCandidate(sketch.descriptor(), wideTarget(), sketch, point),
              std::nullopt);
  for (const std::string &name : bench.library.names())
    EXPECT_NE(name, "mine");
  SubgraphDescriptor descriptor = sketch.descriptor();
  for (const BoundSketch &own : bench.library.bind(descriptor, wideTarget())) {
    EXPECT_TRUE(own.isModelled());
    EXPECT_EQ(own.sourceText(), "");
  }
  EXPECT_GT(unmodelledMicros(descriptor, wideTarget()), 0);
}

TEST_F(OwnSketches, SequencesWithoutUsersAreSketches) {
  SketchLibrary library = parse(R"(
func.func private @payload()
module attributes {transform.with_named_sequence} {
  transform.named_sequence @helper(%f: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @first(%f: !transform.any_op {transform.readonly}) {
    transform.include @helper failures(propagate) (%f) : (!transform.any_op) -> ()
    transform.yield
  }
  transform.named_sequence @second__tensor(%f: !transform.op<"func.func"> {transform.readonly}) -> !transform.any_op {
    %x = transform.structured.match ops{["linalg.generic"]} in %f : (!transform.op<"func.func">) -> !transform.any_op
    transform.yield %x : !transform.any_op
  }
  transform.named_sequence @second__vector(%f: !transform.any_op {transform.readonly}) {
    transform.yield
  }
})");
  EXPECT_EQ(library.names(),
            (llvm::SmallVector<std::string>{"first", "second"}));
  auto bound = library.bind(bench.describe(printContraction({0, 8, 8, 8})),
                            wideTarget());
  ASSERT_EQ(bound.size(), 2u);
  std::string text = printSchedule(bound[1], {});
  EXPECT_TRUE(contains(text, "transform.cast"));
  EXPECT_TRUE(contains(text, "@s__written"));
  EXPECT_TRUE(contains(text, "@s__vector"));
}
