// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop-nest model against the IR that the schedule makes: trip counts from
// the outermost loop to the one that carries the partial results, the vectors
// that it carries, and the bytes of the tile.

#include "Subgraphs.h"

#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Sketch/LoopNest.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

static VectorType getCarriedVector(scf::ForOp loop) {
  return loop.getNumResults() == 1
             ? dyn_cast<VectorType>(loop.getResult(0).getType())
             : VectorType();
}

/// The first innermost loop that carries a vector.
static scf::ForOp findCarryingLoop(func::FuncOp function) {
  scf::ForOp found;
  function.walk([&](scf::ForOp loop) {
    if (!found && getCarriedVector(loop))
      found = loop;
  });
  return found;
}

static std::vector<int64_t> tripsDownTo(scf::ForOp loop) {
  std::vector<int64_t> trips;
  for (; loop; loop = loop->getParentOfType<scf::ForOp>()) {
    int64_t lower = *getConstantIntValue(loop.getLowerBound());
    int64_t upper = *getConstantIntValue(loop.getUpperBound());
    int64_t step = *getConstantIntValue(loop.getStep());
    trips.insert(trips.begin(), (upper - lower + step - 1) / step);
  }
  return trips;
}

static std::vector<int64_t> modelledTrips(const LoopNest &nest) {
  std::vector<int64_t> trips;
  for (const ModelledLoop &loop : nest.loops)
    trips.push_back(loop.trips());
  return trips;
}

/// Bytes that the body of `loop` reads and carries.
static double countTileBytes(scf::ForOp loop) {
  double elements = getCarriedVector(loop).getNumElements();
  loop.walk([&](vector::TransferReadOp read) {
    elements += read.getVectorType().getNumElements();
  });
  return 4 * elements;
}

namespace {
struct Applied {
  LoopNest nest;
  scf::ForOp loop;
};
} // namespace

static Applied apply(Workbench &bench, StringRef text, StringRef sketch,
                     const Choices &choices) {
  Applied applied;
  SubgraphDescriptor descriptor = bench.describe(text);
  BoundSketch bound = bench.bind(descriptor, wideTarget(), sketch);
  applied.nest = modelLoopNest(descriptor, wideTarget(), bound, choices);
  auto schedule = instantiate(bound, choices, "s");
  EXPECT_TRUE(succeeded(schedule));
  func::FuncOp function = *bench.module->getOps<func::FuncOp>().begin();
  auto sequence = cast<transform::TransformOpInterface>(
      SymbolTable::lookupSymbolIn(**schedule, "s__tensor"));
  EXPECT_TRUE(succeeded(transform::applyTransformNamedSequence(
      function, sequence, **schedule, transform::TransformOptions())));
  applied.loop = findCarryingLoop(function);
  EXPECT_TRUE(applied.loop) << "no loop carries a vector";
  return applied;
}

TEST(LoopNest, ContractionWithBlocksAndPanels) {
  Workbench bench;
  Applied a = apply(
      bench, printContraction({0, 128, 256, 512}), "contraction_tile",
      {{"mr", 8}, {"nr", 32}, {"kc", 128}, {"mb", 4}, {"nb", 2}, {"order", 0}});
  EXPECT_EQ(modelledTrips(a.nest), tripsDownTo(a.loop));
  EXPECT_EQ(modelledTrips(a.nest), (std::vector<int64_t>{4, 4, 4, 2, 4, 128}));
  EXPECT_EQ(a.nest.accumulators * 16,
            getCarriedVector(a.loop).getNumElements());
  EXPECT_EQ(a.nest.tileBytes, countTileBytes(a.loop));
}

TEST(LoopNest, BatchedContractionRowsOutside) {
  Workbench bench;
  Applied a =
      apply(bench, printContraction({3, 24, 64, 100}), "contraction_tile",
            {{"mr", 12},
             {"nr", 16},
             {"kc", 100},
             {"mb", 1},
             {"nb", 1},
             {"order", 1}});
  EXPECT_EQ(modelledTrips(a.nest), tripsDownTo(a.loop));
  EXPECT_EQ(a.nest.accumulators, 12u);
  EXPECT_EQ(a.nest.tileBytes, countTileBytes(a.loop));
}

TEST(LoopNest, DotProducts) {
  Workbench bench;
  Applied a = apply(bench, printContraction({0, 6, 40, 256, true}),
                    "contraction_dot", {{"mr", 3}, {"nr", 4}, {"order", 0}});
  EXPECT_EQ(modelledTrips(a.nest), tripsDownTo(a.loop));
  EXPECT_EQ(a.nest.accumulators * 16,
            getCarriedVector(a.loop).getNumElements());
}

TEST(LoopNest, DirectConvolution) {
  Workbench bench;
  Applied a = apply(
      bench, printWindow({"conv_2d_nchw_fchw", 8, 32, 24, 3, 1, 1}),
      "convolution_direct", {{"f", 8}, {"h", 2}, {"w", 16}, {"order", 1}});
  EXPECT_EQ(modelledTrips(a.nest), tripsDownTo(a.loop));
  EXPECT_EQ(a.nest.accumulators * 16,
            getCarriedVector(a.loop).getNumElements());
}

TEST(LoopNest, ConvolutionChannelsLast) {
  Workbench bench;
  Applied a =
      apply(bench, printWindow({"conv_2d_nhwc_hwcf", 8, 32, 64, 3, 1, 1}),
            "convolution_nhwc", {{"w", 8}, {"nf", 32}, {"order", 0}});
  EXPECT_EQ(modelledTrips(a.nest), tripsDownTo(a.loop));
  EXPECT_EQ(a.nest.accumulators * 16,
            getCarriedVector(a.loop).getNumElements());
}

TEST(LoopNest, ConvolutionInBlocks) {
  Workbench bench;
  Applied a = apply(
      bench, printBlockedWindow({"conv", 32, 3, 16, 3, 1, 1, 16, 2}),
      "convolution_blocked", {{"h", 2}, {"w", 4}, {"nf", 32}, {"order", 0}});
  EXPECT_EQ(modelledTrips(a.nest), tripsDownTo(a.loop));
  EXPECT_EQ(a.nest.accumulators, 2u * 4 * 2);
  EXPECT_EQ(a.nest.accumulators * 16,
            getCarriedVector(a.loop).getNumElements());
}

/// "channel" stands twice in the order of the sum: its blocks come first, and
/// the elements of a block last, right inside the window.
TEST(LoopNest, ElementsOfABlockAreTheInnermostLoop) {
  Workbench bench;
  Applied a = apply(
      bench, printBlockedWindow({"conv", 16, 1, 8, 3, 1, 1, 8, 5}),
      "convolution_blocked", {{"h", 1}, {"w", 8}, {"nf", 16}, {"order", 0}});
  std::vector<int64_t> trips = tripsDownTo(a.loop);
  ASSERT_GE(trips.size(), 4u);
  EXPECT_EQ(std::vector<int64_t>(trips.end() - 4, trips.end()),
            (std::vector<int64_t>{5, 3, 3, 8}));
}

TEST(LoopNest, ContractionInBlocks) {
  Workbench bench;
  Applied a =
      apply(bench, printBlockedContraction({"", 32, 3, 8, 1, 1, 0, 16, 2}),
            "contraction_blocked", {{"mr", 8}, {"nr", 32}, {"order", 0}});
  EXPECT_EQ(modelledTrips(a.nest), tripsDownTo(a.loop));
  EXPECT_EQ(a.nest.accumulators, 8u * 2);
  EXPECT_EQ(a.nest.accumulators * 16,
            getCarriedVector(a.loop).getNumElements());
}

TEST(LoopNest, WindowInBlocks) {
  Workbench bench;
  Applied a =
      apply(bench, printBlockedWindow({"depthwise", 32, 3, 16, 3, 1, 1}),
            "window_blocked", {{"h", 2}, {"w", 4}, {"nc", 32}});
  EXPECT_EQ(modelledTrips(a.nest), tripsDownTo(a.loop));
  EXPECT_EQ(a.nest.accumulators, 2u * 4 * 2);
  EXPECT_EQ(a.nest.accumulators * 16,
            getCarriedVector(a.loop).getNumElements());
}

TEST(LoopNest, PatchesOfAConvolution) {
  Workbench bench;
  Applied a = apply(
      bench, printWindow({"conv_2d_nchw_fchw", 16, 16, 64, 3, 1, 1}),
      "convolution_im2col",
      {{"h", 4}, {"w", 16}, {"fb", 64}, {"mr", 8}, {"nr", 32}, {"kc", 128}});
  // The 144 steps of the reduction are cut after 128: the first loop that
  // carries a vector is that of the full panel.
  std::vector<int64_t> trips = modelledTrips(a.nest);
  EXPECT_EQ(trips, (std::vector<int64_t>{4, 2, 8, 2, 128}));
  EXPECT_EQ(tripsDownTo(a.loop).back(), 128);
  EXPECT_EQ(a.nest.accumulators * 16,
            getCarriedVector(a.loop).getNumElements());
}

TEST(LoopNest, TransposesWantTilesThatAreLongBothWays) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printMovement(1, 512, 512, "acb"));
  BoundSketch sketch = bench.bind(d, wideTarget(), "transpose");
  auto micros = [&](int64_t s, int64_t v) {
    return analyticMicros(modelLoopNest(d, wideTarget(), sketch,
                                        {{"s", s}, {"v", v}, {"order", 0}}),
                          wideTarget());
  };
  EXPECT_LT(micros(8, 16), micros(1, 64));
  EXPECT_LT(micros(8, 16), micros(8, 4));
}

TEST(LoopNest, EdgesAndLanes) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(printContraction({0, 10, 40, 64}));
  BoundSketch bound = bench.bind(d, wideTarget(), "contraction_tile");
  LoopNest nest = modelLoopNest(
      d, wideTarget(), bound,
      {{"mr", 4}, {"nr", 32}, {"kc", 64}, {"mb", 1}, {"nb", 1}, {"order", 0}});
  // 40 columns are two vectors and half a one; 10 rows are 4 + 4 + 2.
  EXPECT_DOUBLE_EQ(nest.lanesUsed, 40.0 / 48);
  EXPECT_DOUBLE_EQ(nest.vectorOps, 10.0 * 3 * 64);
  EXPECT_DOUBLE_EQ(nest.edgeShare, 1 - 8.0 * 2 / (10 * 3));
}
