// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the descriptor says of known subgraphs.

#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "TestSubgraphs.h"
#include "gtest/gtest.h"

using namespace diffuse;
using namespace mlir;

namespace {
class DescribeSubgraphTest : public ::testing::Test {
protected:
  void SetUp() override {
    loadTestDialects(context);
    module = parseTest(context, testSubgraphs);
    ASSERT_TRUE(module);
  }

  SubgraphDescriptor describe(llvm::StringRef name) {
    auto function = module->lookupSymbol<func::FuncOp>(name);
    FailureOr<SubgraphDescriptor> descriptor = describeSubgraph(function);
    EXPECT_TRUE(succeeded(descriptor));
    return *descriptor;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

llvm::SmallVector<DimRole> getRoles(const SubgraphDescriptor &descriptor) {
  llvm::SmallVector<DimRole> roles;
  for (const DimInfo &dim : descriptor.dims)
    roles.push_back(dim.role);
  return roles;
}
} // namespace

TEST_F(DescribeSubgraphTest, Contraction) {
  SubgraphDescriptor descriptor = describe("contraction");
  EXPECT_EQ(descriptor.anchor, AnchorKind::Contraction);
  EXPECT_EQ(descriptor.anchorOp, "linalg.generic");
  EXPECT_EQ(getRoles(descriptor),
            (llvm::SmallVector<DimRole>{DimRole::M, DimRole::N, DimRole::K}));
  EXPECT_EQ(descriptor.dims[0].extent, 8);
  EXPECT_EQ(descriptor.dims[1].extent, 6);
  EXPECT_EQ(descriptor.dims[2].extent, 4);
  EXPECT_EQ(descriptor.resultDims, (llvm::SmallVector<unsigned>{0, 1}));
  EXPECT_EQ(descriptor.elementType, "f32");
  EXPECT_EQ(descriptor.accumulatorBits, 32u);
  EXPECT_EQ(descriptor.epilogueOps, 1u);
  EXPECT_EQ(descriptor.prologueOps, 1u);
  EXPECT_TRUE(descriptor.mayReorder);
  EXPECT_FALSE(descriptor.hasPad);
  EXPECT_EQ(descriptor.calls, 3);
  // Two ops a step of the sum, three an element of the epilogue.
  EXPECT_EQ(descriptor.flops, 2.0 * 8 * 6 * 4 + 3.0 * 8 * 6);
  EXPECT_EQ(descriptor.bytes, 4.0 * (8 * 4 + 4 * 6 + 6 + 8 * 6));
}

TEST_F(DescribeSubgraphTest, Convolution) {
  SubgraphDescriptor descriptor = describe("convolution");
  EXPECT_EQ(descriptor.anchor, AnchorKind::Convolution);
  EXPECT_EQ(descriptor.anchorOp, "linalg.conv_2d_nchw_fchw");
  EXPECT_EQ(getRoles(descriptor),
            (llvm::SmallVector<DimRole>{
                DimRole::Batch, DimRole::Filter, DimRole::Image, DimRole::Image,
                DimRole::Channel, DimRole::Window, DimRole::Window}));
  EXPECT_EQ(descriptor.strides, (llvm::SmallVector<int64_t>{2, 2}));
  EXPECT_EQ(descriptor.dilations, (llvm::SmallVector<int64_t>{1, 1}));
  EXPECT_TRUE(descriptor.hasPad);
}

TEST_F(DescribeSubgraphTest, InteriorToInterior) {
  module = parseTest(context, R"mlir(
func.func private @interior(%x: tensor<10x8xf32>, %d: tensor<10x8xf32> {diffuse.destination}) -> tensor<10x8xf32> attributes {diffuse.subgraph, no_inline} {
  %zero = arith.constant 0.0 : f32
  %s = tensor.extract_slice %x[1, 1] [8, 6] [1, 1] : tensor<10x8xf32> to tensor<8x6xf32>
  %i = tensor.extract_slice %d[1, 1] [8, 6] [1, 1] : tensor<10x8xf32> to tensor<8x6xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x6xf32>) outs(%i : tensor<8x6xf32>) attrs = {diffuse.anchor, diffuse.root} {
  ^bb0(%p: f32, %o: f32):
    %n = arith.negf %p : f32
    linalg.yield %n : f32
  } -> tensor<8x6xf32>
  %pad = tensor.pad %0 low[1, 1] high[1, 1] {
  ^bb0(%j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<8x6xf32> to tensor<10x8xf32>
  %2 = bufferization.materialize_in_destination %pad in %d : (tensor<10x8xf32>, tensor<10x8xf32>) -> tensor<10x8xf32>
  return %2 : tensor<10x8xf32>
}
)mlir");
  ASSERT_TRUE(module);
  SubgraphDescriptor descriptor = describe("interior");
  EXPECT_EQ(descriptor.anchor, AnchorKind::Elementwise);
  EXPECT_EQ(descriptor.resultDims, (llvm::SmallVector<unsigned>{0, 1}));
  EXPECT_EQ(descriptor.dims[0].extent, 8);
  EXPECT_EQ(descriptor.dims[1].extent, 6);
  EXPECT_TRUE(descriptor.isAnchorRoot);
  // Nothing is padded that an operand is.
  EXPECT_FALSE(descriptor.hasPad);
  EXPECT_EQ(descriptor.prologueOps, 0u);
  // The slice that is read, the border that is written.
  EXPECT_EQ(descriptor.bytes, 4.0 * (8 * 6 + 10 * 8));
}

TEST_F(DescribeSubgraphTest, Reduction) {
  SubgraphDescriptor descriptor = describe("reduction");
  EXPECT_EQ(descriptor.anchor, AnchorKind::Reduction);
  EXPECT_TRUE(descriptor.dims[0].isDynamic());
  EXPECT_EQ(descriptor.dims[1].role, DimRole::Reduction);
  EXPECT_TRUE(descriptor.mayReorder);
}

TEST_F(DescribeSubgraphTest, OrderDependentReduction) {
  OwningOpRef<ModuleOp> last = parseTest(context, R"mlir(
func.func private @last(%x: tensor<5xf32>, %o: tensor<2xf32>, %d: tensor<2xf32> {diffuse.destination}) -> tensor<2xf32> attributes {diffuse.subgraph, no_inline} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5xf32>) outs(%o : tensor<2xf32>) attrs = {diffuse.anchor, diffuse.root} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<2xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
)mlir");
  ASSERT_TRUE(last);
  auto descriptor = describeSubgraph(collectSubgraphs(*last).front());
  ASSERT_TRUE(succeeded(descriptor));
  EXPECT_EQ(descriptor->anchor, AnchorKind::Reduction);
  EXPECT_FALSE(descriptor->mayReorder);
}

TEST_F(DescribeSubgraphTest, FailsWithoutAnchor) {
  auto function = module->lookupSymbol<func::FuncOp>("elementwise");
  findAnchor(function)->removeAttr("diffuse.anchor");
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(describeSubgraph(function)));
  EXPECT_EQ(message, "subgraph has no op with 'diffuse.anchor'");
}

TEST_F(DescribeSubgraphTest, FailsWhereMarksDoNotFit) {
  OwningOpRef<ModuleOp> marked = parseTest(context, R"mlir(
func.func private @memrefs(%a: memref<4xf32>, %d: memref<4xf32>) attributes {diffuse.subgraph, no_inline} {
  linalg.exp {diffuse.anchor, diffuse.root} ins(%a : memref<4xf32>) outs(%d : memref<4xf32>)
  return
}
func.func private @larger_root(%a: tensor<4xf32>, %d: tensor<4x4xf32> {diffuse.destination}) -> tensor<4x4xf32> attributes {diffuse.subgraph, no_inline} {
  %0 = linalg.exp {diffuse.anchor} ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.broadcast ins(%0 : tensor<4xf32>) outs(%d : tensor<4x4xf32>) dimensions = [0] {diffuse.root}
  %2 = bufferization.materialize_in_destination %1 in %d : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
)mlir");
  ASSERT_TRUE(marked);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  llvm::SmallVector<func::FuncOp> functions = collectSubgraphs(*marked);
  EXPECT_TRUE(failed(describeSubgraph(functions[0])));
  EXPECT_EQ(message, "op with 'diffuse.anchor' has no results");
  EXPECT_TRUE(failed(describeSubgraph(functions[1])));
  EXPECT_EQ(message, "op with 'diffuse.root' has 2 loops, but the anchor's "
                     "result has 1 dimensions");
}

TEST_F(DescribeSubgraphTest, SumOfDistancesIsNoContraction) {
  OwningOpRef<ModuleOp> distances = parseTest(context, R"mlir(
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func private @distances(%x: tensor<8x4xf32>, %y: tensor<6x4xf32>, %o: tensor<8x6xf32>, %d: tensor<8x6xf32> {diffuse.destination}) -> tensor<8x6xf32> attributes {diffuse.subgraph, no_inline} {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<8x4xf32>, tensor<6x4xf32>) outs(%o : tensor<8x6xf32>) attrs = {diffuse.anchor, diffuse.root} {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %s = arith.subf %p, %q : f32
    %m = math.absf %s : f32
    %t = arith.addf %acc, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x6xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}
)mlir");
  ASSERT_TRUE(distances);
  auto descriptor = describeSubgraph(collectSubgraphs(*distances).front());
  ASSERT_TRUE(succeeded(descriptor));
  EXPECT_EQ(descriptor->anchor, AnchorKind::Reduction);
  EXPECT_TRUE(descriptor->mayReorder);
}

/// A contraction of i8 or f32 with those indices of its second operand, which
/// is widened by `cast` where that is not empty.
static std::string printMatmul(const std::string &indices,
                               const std::string &cast) {
  std::string element = cast.empty() ? "f32" : "i8";
  std::string sum = cast.empty() ? "f32" : "i32";
  std::string widen = cast.empty() ? ""
                                   : "%p = arith.extsi %x : i8 to i32\n"
                                     "%q = arith." +
                                         cast + " %y : i8 to i32\n";
  std::string product =
      cast.empty() ? "arith.mulf %x, %y : f32" : "arith.muli %p, %q : i32";
  std::string add = cast.empty() ? "arith.addf" : "arith.addi";
  // All extents are equal, so that no verifier sees what is wrong.
  return "func.func private @f(%a: tensor<8x8x" + element +
         ">, %b: tensor<8x8x" + element + ">, %d: tensor<8x8x" + sum +
         "> {diffuse.destination}) -> tensor<8x8x" + sum + R"(>
    attributes {diffuse.subgraph, no_inline} {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ()" +
         indices +
         R"()>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x8x)" +
         element + ">, tensor<8x8x" + element + ">) outs(%d : tensor<8x8x" +
         sum +
         R"(>) attrs = {diffuse.anchor, diffuse.root} {
  ^bb0(%x: )" +
         element + ", %y: " + element + ", %o: " + sum + "):\n" + widen +
         "%z = " + product + "\n%s = " + add + " %o, %z : " + sum +
         "\nlinalg.yield %s : " + sum + "\n} -> tensor<8x8x" + sum +
         ">\nreturn %r : tensor<8x8x" + sum + ">\n}";
}

TEST_F(DescribeSubgraphTest, GenericAnchorsHaveNames) {
  auto nameOf = [&](const std::string &indices, const std::string &cast = "") {
    module = parseTest(context, printMatmul(indices, cast));
    SubgraphDescriptor descriptor = describe("f");
    EXPECT_TRUE(descriptor.isAnchorRoot);
    return std::make_pair(descriptor.namedAnchor, descriptor.isSpecializable);
  };
  EXPECT_EQ(nameOf("k, n"), std::make_pair(std::string("linalg.matmul"), true));
  EXPECT_EQ(nameOf("k, n", "extsi"),
            std::make_pair(std::string("linalg.matmul"), true));
  // What upstream makes of these is another op.
  EXPECT_EQ(nameOf("n, k"),
            std::make_pair(std::string("linalg.matmul"), false));
  EXPECT_FALSE(nameOf("k, n", "extui").second);
  SubgraphDescriptor descriptor = describe("f");
  EXPECT_TRUE(llvm::is_contained(descriptor.opNames, "linalg.generic"));
  EXPECT_TRUE(llvm::is_contained(descriptor.attributeNames, "diffuse.anchor"));
}
