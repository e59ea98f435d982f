// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accessors of subgraph functions and names of their schedules.

#include "Diffuse/IR/SubgraphFunction.h"

#include "Diffuse/IR/ScheduleLookup.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace diffuse;
using namespace mlir;

static constexpr llvm::StringLiteral text = R"mlir(
func.func private @declared(tensor<4xf32>) attributes {diffuse.subgraph}
func.func private @sub(%x: tensor<4xf32> {diffuse.parameter = "w"}, %s: f32, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, diffuse.calls = 5 : i64} {
  return {diffuse.root} %x : tensor<4xf32>
}
func.func @main() {
  return
}
)mlir";

namespace {
class SubgraphFunctionTest : public ::testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<func::FuncDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    subgraph = module->lookupSymbol<func::FuncOp>("sub");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp subgraph;
};
} // namespace

TEST_F(SubgraphFunctionTest, CollectsThoseWithABody) {
  ASSERT_EQ(collectSubgraphs(*module).size(), 1u);
  EXPECT_EQ(collectSubgraphs(*module).front(), subgraph);
}

TEST_F(SubgraphFunctionTest, ReadsTheBoundary) {
  EXPECT_EQ(countInputs(subgraph), 2u);
  EXPECT_TRUE(isParameter(subgraph, 0));
  EXPECT_FALSE(isParameter(subgraph, 1));
  EXPECT_FALSE(isDestination(subgraph, 1));
  EXPECT_TRUE(isDestination(subgraph, 2));
  EXPECT_EQ(getCalls(subgraph), 5);
  EXPECT_EQ(getCalls(module->lookupSymbol<func::FuncOp>("main")), 1);
}

TEST_F(SubgraphFunctionTest, FindsMarks) {
  EXPECT_EQ(findAnchor(subgraph), nullptr);
  EXPECT_EQ(findRoot(subgraph), subgraph.getBody().front().getTerminator());
}

TEST_F(SubgraphFunctionTest, NamesSequences) {
  EXPECT_EQ(replaceScheduleSuffix("s__tensor", "__vector"), "s__vector");
  EXPECT_EQ(replaceScheduleSuffix("s", "__vector"), "");
  auto schedule = lookupSchedule(subgraph);
  ASSERT_TRUE(succeeded(schedule));
  EXPECT_FALSE(schedule->library);
}
