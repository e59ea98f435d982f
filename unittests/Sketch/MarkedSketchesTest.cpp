// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sketches of a user that say themselves what they take.

#include "Subgraphs.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

static bool contains(llvm::StringRef text, llvm::StringRef part) {
  return text.contains(part);
}

static const char *const kMatmul = R"(
    %m = transform.structured.match ops{["linalg.matmul"]} in %f : (!transform.any_op) -> !transform.any_op
    %n = transform.tune.knob<"n"> options = [4, 8] -> !transform.param<i64>
    %t, %l = transform.structured.tile_using_for %m tile_sizes [%n] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
)";

TEST(MarkedSketches, AnchorsOfMarkedSketchesGetTheirNamesBack) {
  Workbench bench;
  std::string text = R"(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine__tensor(%f: !transform.any_op {transform.readonly})
      attributes {diffuse.sketch = {anchors = ["contraction"]}} {
)" + std::string(kMatmul) +
                     "transform.yield\n}\n}\n";
  EXPECT_TRUE(contains(
      printSchedule(bench.bindOwn(text, printContraction({0, 32, 48, 64})),
                    {{"n", 4}}),
      "transform.structured.specialize"));
}

TEST(MarkedSketches, HelpersStandBesideTheirSketch) {
  Workbench bench;
  BoundSketch sketch = bench.bindOwn(R"(
module {
module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile(%root: !transform.any_op {transform.consumed}) {
    %n = transform.tune.knob<"n"> options = [4, 8] -> !transform.param<i64>
    %block, %loops:2 = transform.structured.fuse %root tile_sizes [1, %n] {diffuse.walk = ["outer", "inner"], diffuse.of = "root"}
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @mine__tensor(%func: !transform.any_op {transform.readonly})
      attributes {diffuse.sketch = {anchors = ["elementwise"]}} {
    %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
    transform.include @tile failures(propagate) (%root) : (!transform.any_op) -> ()
    transform.yield
  }
}
})",
                                     printElementwise(64, 64));
  EXPECT_TRUE(
      contains(printSchedule(sketch, {{"n", 8}}), "transform.structured.fuse"));
}
