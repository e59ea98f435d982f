// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sketches take which subgraphs, and what their knobs may be.

#include "Subgraphs.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;

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
