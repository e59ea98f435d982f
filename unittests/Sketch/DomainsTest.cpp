// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sketches take which subgraphs, and what their knobs may be.

#include "Subgraphs.h"

#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

using Domain = llvm::SmallVector<int64_t>;

static std::vector<std::string> namesOf(Workbench &bench,
                                        llvm::StringRef text) {
  std::vector<std::string> names;
  for (const BoundSketch &bound :
       bench.library.bind(bench.describe(text), wideTarget()))
    names.push_back(bound.name().str());
  return names;
}

TEST(Domains, FollowVectorWidthAndExtents) {
  Workbench bench;
  SubgraphDescriptor descriptor =
      bench.describe(printContraction({0, 7, 100, 300}));
  BoundSketch wide = bench.bind(descriptor, wideTarget(), "contraction_tile");
  EXPECT_EQ(wide.findKnob("nr")->domain, Domain({16, 32, 64}));
  EXPECT_EQ(wide.findKnob("mr")->domain, Domain({1, 2, 3, 4, 6}));
  EXPECT_EQ(wide.findKnob("kc")->domain, Domain({64, 128, 256, 300}));
  EXPECT_EQ(wide.findKnob("mr")->role, "register_tile");
  EXPECT_EQ(wide.findKnob("mr")->dim, "rows");
  EXPECT_EQ(wide.findKnob("nope"), nullptr);
  BoundSketch narrow =
      bench.bind(descriptor, narrowTarget(), "contraction_tile");
  EXPECT_EQ(narrow.findKnob("nr")->domain, Domain({8, 16, 32}));
}

TEST(Domains, AnExtentBelowAllValuesIsItsOwnDomain) {
  Workbench bench;
  SubgraphDescriptor descriptor =
      bench.describe(printContraction({0, 1, 5, 3}));
  BoundSketch bound = bench.bind(descriptor, wideTarget(), "contraction_tile");
  EXPECT_EQ(bound.findKnob("nr")->domain, Domain({5}));
  EXPECT_EQ(bound.findKnob("kc")->domain, Domain({3}));
}

TEST(Domains, MovementsHaveASourceWhereBothSidesDiffer) {
  Workbench bench;
  auto extentOfSource = [&](llvm::StringRef indices) {
    return bench
        .bind(bench.describe(printMovement(1, 24, 40, indices)), wideTarget(),
              "transpose")
        .extentOf("source");
  };
  EXPECT_EQ(extentOfSource("acb"), 24);
  EXPECT_EQ(extentOfSource("cba"), 24) << "an extent of 1 does not count";
  EXPECT_EQ(extentOfSource("bac"), 0);
  EXPECT_EQ(extentOfSource("ab"), 24);
}

TEST(Domains, SketchesTakeWhatTheySay) {
  Workbench bench;
  using Names = std::vector<std::string>;
  EXPECT_EQ(namesOf(bench, printContraction({0, 8, 8, 8})),
            Names({"contraction_tile"}));
  EXPECT_EQ(namesOf(bench, printContraction({2, 8, 8, 8, true})),
            Names({"contraction_dot"}));
  EXPECT_EQ(
      namesOf(bench, printWindow({"conv_2d_nchw_fchw", 3, 8, 4, 3, 1, 1})),
      Names({"convolution_direct", "convolution_im2col"}));
  EXPECT_EQ(
      namesOf(bench, printWindow({"conv_2d_nchw_fchw", 3, 8, 4, 3, 2, 1})),
      Names({"convolution_im2col"}));
  EXPECT_EQ(namesOf(bench, printWindow({"pooling_nchw_max", 3, 8, 1, 3, 2, 1})),
            Names({"window_rows"}));
  EXPECT_EQ(namesOf(bench, printReduction(8, 8, 1)),
            Names({"reduction_lanes"}));
  EXPECT_EQ(namesOf(bench, printReduction(8, 8, 0)),
            Names({"reduction_columns"}));
  EXPECT_EQ(namesOf(bench, printElementwise(8, 8)), Names({"elementwise"}));
  EXPECT_EQ(namesOf(bench, printMovement(8, 8, 8, "acb")),
            Names({"transpose"}));
}

TEST(Domains, NoSketchForEmptyOrUnknownExtentsOrOrderedReductions) {
  Workbench bench;
  SubgraphDescriptor descriptor =
      bench.describe(printContraction({0, 8, 8, 8}));
  auto count = [&](auto change) {
    SubgraphDescriptor changed = descriptor;
    change(changed);
    return bench.library.bind(changed, wideTarget()).size();
  };
  EXPECT_EQ(count([](auto &d) {}), 1u);
  EXPECT_EQ(count([](auto &d) { d.dims[0].extent = 0; }), 0u);
  EXPECT_EQ(count([](auto &d) { d.dims[0].extent = INT64_MIN; }), 0u);
  EXPECT_EQ(count([](auto &d) { d.mayReorder = false; }), 0u);
  EXPECT_EQ(count([](auto &d) { d.hasIndexSemantics = true; }), 0u);
  EXPECT_EQ(count([](auto &d) { d.hasSideEffects = true; }), 0u);
  EXPECT_EQ(count([](auto &d) { d.hasPartialBytes = true; }), 0u);
  EXPECT_EQ(count([](auto &d) { d.hasScatteredAccess = true; }), 0u);
}

TEST(Domains, NoSketchForElementsThatVectorsPack) {
  Workbench bench;
  EXPECT_TRUE(namesOf(bench, R"(
func.func private @f(%x: tensor<3x64xi1>, %d: tensor<3x64xi32> {diffuse.destination}) -> tensor<3x64xi32>
    attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<3x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x64xi1>) outs(%e : tensor<3x64xi32>) attrs = {diffuse.anchor, diffuse.root} {
  ^bb0(%p: i1, %o: i32):
    %w = arith.extui %p : i1 to i32
    linalg.yield %w : i32
  } -> tensor<3x64xi32>
  %out = bufferization.materialize_in_destination %r in %d : (tensor<3x64xi32>, tensor<3x64xi32>) -> tensor<3x64xi32>
  return %out : tensor<3x64xi32>
})")
                  .empty());
}

/// A sketch for elementwise subgraphs whose tile along `inner` is the knob `v`
/// with these options.
static FailureOr<SketchLibrary> parseSketch(Workbench &bench,
                                            const std::string &options) {
  std::string text = R"(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mine__tensor(%func: !transform.any_op {transform.readonly})
      attributes {diffuse.sketch = {anchors = ["elementwise"]}} {
    %v = transform.tune.knob<"v"> options = )" +
                     options + R"( -> !transform.param<i64>
    %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
    %block, %loops:2 = transform.structured.fuse %root tile_sizes [1, %v] {diffuse.walk = ["outer", "inner"], diffuse.of = "root"}
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
})";
  return SketchLibrary::parse(text, "mine.mlir", &bench.context);
}

/// The domain of `v` over rows of `inner` elements; empty where the sketch does
/// not take the subgraph.
static Domain domainOf(Workbench &bench, const std::string &options,
                       int64_t inner) {
  auto library = parseSketch(bench, options);
  if (failed(library))
    return {};
  auto bound =
      library->bind(bench.describe(printElementwise(3, inner)), wideTarget());
  return bound.empty() ? Domain() : Domain(bound.front().knobs()[0].domain);
}

TEST(Domains, WhatTheExtentStandsInForKeepsToTheLimits) {
  Workbench bench;
  EXPECT_EQ(domainOf(bench, "{values = [64], of = \"inner\"}", 37),
            Domain({37}));
  EXPECT_EQ(
      domainOf(bench, "{values = [64], of = \"inner\", multiple_of = 8}", 37),
      Domain({32}));
  EXPECT_EQ(domainOf(bench,
                     "{values = [64], of = \"inner\", multiple_of = \"lanes\"}",
                     13),
            Domain());
  EXPECT_EQ(domainOf(bench, "{values = [64], of = \"inner\", min = 40}", 37),
            Domain());
  EXPECT_EQ(
      domainOf(bench,
               "{values = [16], of = \"inner\", whole = 1, multiple_of = 16}",
               40),
      Domain({16}));
  EXPECT_EQ(domainOf(bench, "{divisors_of = \"inner\", multiple_of = 8}", 37),
            Domain());
}

TEST(Domains, SizesAreAtLeastOne) {
  Workbench bench;
  std::string message;
  ScopedDiagnosticHandler handler(&bench.context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_EQ(domainOf(bench, "{values = [-4, 0, 8], of = \"inner\"}", 37),
            Domain({8}));
  EXPECT_EQ(message, "");
  for (std::string options : {"[0, 8]", "{lb = 0, step = 8, ub = 16}"}) {
    EXPECT_TRUE(failed(parseSketch(bench, options)));
    EXPECT_EQ(message, "knob 'v' is the size of a tile, so its options must be "
                       "at least 1, but 0 is one");
  }
}

TEST(Domains, RangesEnd) {
  Workbench bench;
  std::string message;
  ScopedDiagnosticHandler handler(&bench.context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_EQ(domainOf(bench,
                     "{lb = 9223372036854775800, step = 6, "
                     "ub = 9223372036854775807}",
                     37),
            Domain({9223372036854775800, 9223372036854775806}));
  for (std::string options :
       {"{lb = 1, step = 1, ub = 4097}",
        "{lb = -9223372036854775808, step = 1, ub = 9223372036854775807}"}) {
    EXPECT_TRUE(failed(parseSketch(bench, options)));
    EXPECT_EQ(message, "knob 'v' has more than 4096 options, so its 'step' "
                       "must be larger or 'ub' smaller");
  }
}
