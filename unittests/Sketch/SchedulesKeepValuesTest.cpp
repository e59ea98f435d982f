// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduled equals unscheduled, for every sketch: defaults and a random
// legal candidate, extents that no tile divides, both register files. Data are
// small integers, so sums are exact in any order.

#include "../Codegen/CompileAndLoad.h"
#include "StagedSubgraphs.h"
#include "Subgraphs.h"

#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/Codegen/DescribeBoundary.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Sketch/Legality.h"
#include "Diffuse/Sketch/Space.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>
#include <limits>

#include <map>
#include <random>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

static size_t countElements(const BoundaryArgument &argument) {
  size_t elements = 1;
  for (int64_t extent : argument.extents)
    elements *= size_t(extent);
  return elements;
}

/// Inputs of small integers, then what the code wrote into its destination.
/// That is filled with NaN before, which equals nothing: what is not written
/// shows.
static std::vector<float> run(const CompiledObject &object,
                              ArrayRef<BoundaryArgument> boundary) {
  std::vector<std::vector<float>> buffers;
  std::vector<void *> pointers;
  for (const BoundaryArgument &argument : boundary) {
    auto &buffer = buffers.emplace_back(countElements(argument));
    for (size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = float(int((i * 7 + buffers.size() * 3) % 9) - 4);
  }
  llvm::fill(buffers.back(), std::numeric_limits<float>::quiet_NaN());
  for (std::vector<float> &buffer : buffers)
    pointers.push_back(buffer.data());
  LoadedFunction(object).run(pointers);
  return buffers.back();
}

static FailureOr<CompiledObject> compile(func::FuncOp function,
                                         const TargetDescription &target,
                                         ModuleOp schedule) {
  CodegenOptions options;
  options.target = target;
  return compileSubgraph(function, schedule, schedule ? "s__tensor" : "",
                         options, "kernel");
}

/// The last of `candidates`, of a composed sketch, with every other loop around
/// all stages.
static void addOtherCuts(const BoundSketch &sketch,
                         SmallVector<Candidate> &candidates) {
  const Knob *block = sketch.findKnob("block");
  Candidate center = candidates.back();
  if (!sketch.findKnob("fuse") || sketch.parts().empty())
    return;
  auto add = [&](const Choices &cut) {
    Candidate candidate = center;
    candidate.choices.erase("block");
    for (const auto &[name, value] : cut)
      candidate.choices[name] = value;
    if (candidate != center)
      candidates.push_back(candidate);
  };
  add({{"fuse", 0}});
  if (!block)
    add({{"fuse", 1}});
  for (int64_t value : block ? ArrayRef(block->domain) : ArrayRef<int64_t>())
    add({{"fuse", 1}, {"block", value}});
}

/// The default of each sketch, all cuts of it where it is composed, and `count`
/// legal candidates at random.
static SmallVector<Candidate> chooseCandidates(const SubgraphDescriptor &d,
                                               const TargetDescription &target,
                                               ArrayRef<BoundSketch> sketches,
                                               unsigned count) {
  SmallVector<Candidate> candidates;
  for (const BoundSketch &sketch : sketches) {
    candidates.push_back(defaultCandidate(d, target, sketch));
    addOtherCuts(sketch, candidates);
  }
  std::mt19937 random(7);
  for (unsigned tries = 0; tries < 1000 && count > 0; ++tries) {
    const BoundSketch &sketch = sketches[random() % sketches.size()];
    Candidate candidate{sketch.name().str(), {}};
    candidate.choices = makeChoices(sketch, [&](const Knob &knob) {
      return knob.domain[random() % knob.domain.size()];
    });
    if (checkCandidate(d, target, sketch, candidate.choices))
      continue;
    candidates.push_back(candidate);
    --count;
  }
  return candidates;
}

/// Makes `function` return its result with a border around it, and write the
/// result into the interior of the destination.
static void padResult(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  BlockArgument destination = function.getArguments().back();
  auto type = cast<RankedTensorType>(destination.getType());
  // As in networks, where there is one image, and where every dimension grows.
  bool growsAll = type.getShape().back() % 2 == 0 || type.getNumElements() == 1;
  SmallVector<int64_t> low, high, shape;
  for (int64_t extent : type.getShape()) {
    bool grows = growsAll || extent != 1;
    low.push_back(grows ? 1 : 0);
    high.push_back(grows ? 2 : 0);
    shape.push_back(extent + low.back() + high.back());
  }
  auto padded = RankedTensorType::get(shape, type.getElementType());
  destination.setType(padded);
  auto fold = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  };
  SmallVector<int64_t> ones(type.getRank(), 1);
  Value interior =
      tensor::ExtractSliceOp::create(builder, loc, type, destination, fold(low),
                                     fold(type.getShape()), fold(ones));
  auto *end = function.front().getTerminator()->getOperand(0).getDefiningOp();
  // The root starts from an empty tensor, a fill of one or the destination.
  Operation *op = end->getOperand(0).getDefiningOp();
  while (auto fill = op->getOperands().back().getDefiningOp<linalg::LinalgOp>())
    op = fill;
  op->setOperand(op->getNumOperands() - 1, interior);
  builder.setInsertionPoint(end);
  Value border = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(type.getElementType(), -3.0));
  Value pad = tensor::PadOp::create(builder, loc, padded, end->getOperand(0),
                                    fold(low), fold(high), border);
  end->setOperand(0, pad);
  end->getResult(0).setType(padded);
  function.setType(
      builder.getFunctionType(function.front().getArgumentTypes(), padded));
}

/// Bytes that the code of each candidate allocates.
using Workspaces = std::map<std::string, uint64_t>;

static void checkSubgraphAsIs(const std::string &text, unsigned count,
                              bool isPadded, Workspaces &workspaces,
                              Numerics numerics) {
  Workbench bench;
  SubgraphDescriptor d = bench.describe(text);
  func::FuncOp function = *bench.module->getOps<func::FuncOp>().begin();
  if (isPadded) {
    padResult(function);
    ASSERT_TRUE(succeeded(verify(function)));
    auto padded = describeSubgraph(function);
    ASSERT_TRUE(succeeded(padded));
    d = *padded;
  }
  auto boundary = describeBoundary(function);
  ASSERT_TRUE(succeeded(boundary));
  auto reference = compile(function, narrowTarget(), nullptr);
  ASSERT_TRUE(succeeded(reference));
  std::vector<float> expected = run(*reference, *boundary);
  auto checkWorkspace = [&](const std::string &code, uint64_t bytes) {
    auto [plain, isNew] = workspaces.try_emplace(code, bytes);
    EXPECT_FALSE(isPadded && isNew) << "nothing to compare with";
    EXPECT_LE(bytes, plain->second) << "for a border alone";
  };
  checkWorkspace("plain loops", reference->workspaceBytes);
  for (const TargetDescription &target : {wideTarget(), narrowTarget()}) {
    SmallVector<BoundSketch> sketches = bench.library.bind(d, target, numerics);
    ASSERT_FALSE(sketches.empty()) << text;
    bool runs = missingHostFeature(target).empty();
    for (const Candidate &candidate :
         chooseCandidates(d, target, sketches, count)) {
      SCOPED_TRACE(toString(candidate) + " for " + target.key + "\n" + text);
      const BoundSketch &sketch = *llvm::find_if(
          sketches, [&](auto &s) { return s.name() == candidate.sketch; });
      auto schedule = instantiate(sketch, candidate.choices, "s");
      ASSERT_TRUE(succeeded(schedule));
      auto object = compile(function, target, **schedule);
      ASSERT_TRUE(succeeded(object));
      checkWorkspace(toString(candidate) + target.key, object->workspaceBytes);
      if (runs) {
        EXPECT_EQ(run(*object, *boundary), expected);
      }
    }
  }
}

/// As it is, and with its result in the interior of a padded tensor, which
/// takes no buffer more.
static void checkSubgraph(const std::string &text, unsigned count = 1,
                          Numerics numerics = Numerics::Default) {
  Workspaces workspaces;
  for (bool isPadded : {false, true})
    checkSubgraphAsIs(text, count, isPadded, workspaces, numerics);
}

TEST(SchedulesKeepValues, Contraction) {
  for (const ContractionShape &shape : {ContractionShape{0, 31, 37, 41},
                                        {0, 56, 1000, 7},
                                        {3, 7, 56, 31, false, false},
                                        {0, 1, 1, 1},
                                        {0, 1, 90, 65}})
    checkSubgraph(printContraction(shape));
}

TEST(SchedulesKeepValues, ContractionOfFewRows) {
  for (int64_t n : {1, 16, 25, 31, 49, 63, 95, 129})
    for (int64_t m : {1, 3})
      checkSubgraph(
          printContraction({0, m, n, n % 3 + 1, false, n == 25, true}), 0);
}

TEST(SchedulesKeepValues, ContractionOfTransposedColumns) {
  for (const ContractionShape &shape : {ContractionShape{0, 1, 1000, 41, true},
                                        {2, 7, 31, 56, true, false},
                                        {0, 5, 3, 7, true}})
    checkSubgraph(printContraction(shape));
}

TEST(SchedulesKeepValues, Convolution) {
  for (const WindowShape &shape :
       {WindowShape{"conv_2d_nchw_fchw", 3, 31, 7, 3, 1, 1},
        {"conv_2d_nchw_fchw", 7, 14, 13, 3, 2, 1},
        {"conv_2d_nchw_fchw", 4, 7, 31, 1, 2, 0},
        {"conv_2d_nchw_fchw", 3, 41, 5, 7, 2, 3},
        {"conv_2d_nchw_fchw", 1, 3, 1, 3, 1, 0}})
    checkSubgraph(printWindow(shape));
}

TEST(SchedulesKeepValues, ConvolutionOfOtherRanks) {
  for (const WindowShape &shape :
       {WindowShape{"conv_2d_ngchw_gfchw", 3, 31, 7, 3, 1, 1},
        {"conv_1d_ncw_fcw", 3, 131, 7, 3, 1, 1},
        {"conv_3d_ncdhw_fcdhw", 2, 11, 5, 3, 1, 1}})
    checkSubgraph(printWindow(shape));
}

TEST(SchedulesKeepValues, Windows) {
  for (const WindowShape &shape :
       {WindowShape{"depthwise_conv_2d_nchw_chw", 7, 31, 0, 3, 1, 1},
        {"depthwise_conv_2d_nchw_chw", 3, 37, 0, 5, 2, 2},
        {"pooling_nchw_max", 5, 41, 0, 3, 2, 1},
        {"pooling_nchw_sum", 3, 7, 0, 7, 1, 0}})
    checkSubgraph(printWindow(shape));
}

TEST(SchedulesKeepValues, ChannelsLast) {
  for (const WindowShape &shape :
       {WindowShape{"conv_2d_nhwc_hwcf", 3, 31, 40, 3, 1, 1},
        {"conv_2d_nhwc_hwcf", 7, 14, 5, 5, 2, 2},
        {"depthwise_conv_2d_nhwc_hwc", 40, 13, 0, 3, 2, 1},
        {"pooling_nhwc_max", 37, 14, 0, 2, 2, 0},
        {"pooling_nhwc_sum", 7, 7, 0, 7, 1, 0}})
    checkSubgraph(printWindow(shape));
}

/// kind, block and number of blocks; image, window, stride, pad; block and
/// number of blocks of the input.
TEST(SchedulesKeepValues, ConvolutionInBlocks) {
  for (const BlockedShape &shape :
       {BlockedShape{"conv", 16, 2, 9, 3, 1, 1, 16, 1},
        {"conv", 8, 3, 7, 5, 1, 2, 4, 2},
        {"conv", 4, 1, 5, 3, 1, 0, 8, 1},
        {"conv", 32, 1, 13, 1, 1, 0, 16, 2},
        {"conv", 16, 1, 1, 1, 1, 0, 16, 1},
        {"conv", 16, 2, 9, 3, 1, 1, 0, 3}})
    checkSubgraph(printBlockedWindow(shape));
}

TEST(SchedulesKeepValues, ConvolutionInBlocksWithStride) {
  for (const BlockedShape &shape :
       {BlockedShape{"conv", 16, 2, 9, 3, 2, 1, 16, 1},
        {"conv", 8, 1, 13, 1, 2, 0, 8, 2},
        {"conv", 4, 2, 11, 5, 2, 2, 16, 1},
        {"conv", 16, 1, 15, 7, 2, 3, 0, 3},
        {"conv", 32, 1, 3, 3, 2, 0, 4, 1}})
    checkSubgraph(printBlockedWindow(shape));
}

TEST(SchedulesKeepValues, WindowsInBlocks) {
  for (const BlockedShape &shape :
       {BlockedShape{"depthwise", 16, 2, 9, 3, 1, 1},
        {"depthwise", 8, 3, 7, 5, 2, 2},
        {"depthwise", 4, 1, 1, 1, 1, 0},
        {"max", 16, 1, 13, 3, 2, 1},
        {"max", 4, 3, 5, 2, 1, 0},
        {"sum", 8, 2, 7, 7, 1, 0},
        {"sum", 32, 1, 6, 3, 1, 1}})
    checkSubgraph(printBlockedWindow(shape));
}

TEST(SchedulesKeepValues, ContractionInBlocks) {
  for (const BlockedShape &shape : {BlockedShape{"", 16, 2, 7, 1, 1, 0, 16, 3},
                                    {"", 8, 1, 3, 1, 1, 0, 4, 2},
                                    {"", 4, 3, 5, 1, 1, 0, 8, 1},
                                    {"", 16, 2, 1, 1, 1, 0, 8, 2},
                                    {"", 32, 3, 5, 1, 1, 0, 0, 7}})
    checkSubgraph(printBlockedContraction(shape));
}

TEST(SchedulesKeepValues, Movements) {
  for (const char *indices : {"acb", "cba", "bac", "cab", "abc", "ab", "c"})
    checkSubgraph(printMovement(5, 31, 37, indices));
  checkSubgraph(printMovement(1, 3, 2, "acb"));
  checkSubgraph(printMovement(1, 64, 64, "acb"));
}

TEST(SchedulesKeepValues, ReductionsAndElementwise) {
  checkSubgraph(printReduction(31, 41, 0));
  checkSubgraph(printReduction(7, 1000, 1));
  checkSubgraph(printReduction(5, 3, 1));
  checkSubgraph(printElementwise(31, 41));
  checkSubgraph(printElementwise(1, 7));
}

TEST(SchedulesKeepValues, Attention) {
  for (const AttentionShape &shape : {AttentionShape{2, 6, 31, 16},
                                      {3, 4, 16, 7},
                                      {1, 9, 5, 33},
                                      {2, 1, 7, 8}})
    checkSubgraph(printAttention(shape));
}

TEST(SchedulesKeepValues, DepthwiseAndPointwise) {
  for (const SeparableShape &shape :
       {SeparableShape{16, 2, 3, 6}, {8, 1, 2, 7, 2}, {16, 3, 1, 1, 2}})
    checkSubgraph(printSeparable(shape));
}

TEST(SchedulesKeepValues, GatedProducts) {
  for (const GatedShape &shape : {GatedShape{6, 7, 33, 5}, {4, 16, 16, 32}})
    checkSubgraph(printGated(shape));
}

/// Stages that no sketch takes stand beside those that have one.
TEST(SchedulesKeepValues, AttentionWithPlainStages) {
  for (const AttentionShape &shape :
       {AttentionShape{1, 6, 31, 16}, {2, 3, 4, 5}})
    checkSubgraph(printAttention(shape), 1, Numerics::Strict);
}
