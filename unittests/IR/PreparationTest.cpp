// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What counts as computed from parameters alone. A call is named by its `tag`.

#include "Diffuse/IR/Preparation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace diffuse;
using namespace mlir;

static constexpr llvm::StringLiteral subgraphs = R"mlir(
func.func private @one(%a: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %d : tensor<4xf32>
}
func.func private @two(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %d : tensor<4xf32>
}
func.func private @scaled(%a: tensor<4xf32>, %s: f32, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %d : tensor<4xf32>
}
func.func private @none(%d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %d : tensor<4xf32>
}
func.func private @wide(%a: tensor<?xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %d : tensor<4xf32>
}
func.func private @plain(%a: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  return %d : tensor<4xf32>
}
)mlir";

/// The tags of the preparations of the function `main` that `text` defines.
static std::vector<std::string> tagsOf(llvm::StringRef text) {
  MLIRContext context;
  context
      .loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                   func::FuncDialect, scf::SCFDialect, tensor::TensorDialect>();
  auto module =
      parseSourceString<ModuleOp>(subgraphs.str() + text.str(), &context);
  EXPECT_TRUE(module);
  std::vector<std::string> tags;
  if (module)
    for (func::CallOp call :
         collectPreparations(module->lookupSymbol<func::FuncOp>("main")))
      tags.push_back(call->getAttrOfType<StringAttr>("tag").str());
  return tags;
}

using Tags = std::vector<std::string>;

TEST(Preparation, ParametersConstantsAndWhatIsComputedFromThem) {
  EXPECT_EQ(tagsOf(R"mlir(
func.func @main(%x: tensor<4xf32>, %w: tensor<2x2xf32> {diffuse.parameter}, %s: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %k = arith.constant 3.0 : f32
  %f = tensor.collapse_shape %w [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %0 = call @one(%f, %e) {tag = "parameter"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @two(%0, %c, %e) {tag = "chain"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = call @scaled(%1, %k, %e) {tag = "constant scalar"} : (tensor<4xf32>, f32, tensor<4xf32>) -> tensor<4xf32>
  %3 = call @scaled(%1, %s, %e) {tag = "scalar"} : (tensor<4xf32>, f32, tensor<4xf32>) -> tensor<4xf32>
  %4 = call @none(%e) {tag = "no input"} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @two(%x, %2, %e) {tag = "input"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = call @two(%5, %4, %e) {tag = "of an input"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = call @one(%1, %x) {tag = "any destination"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %6, %7 : tensor<4xf32>, tensor<4xf32>
})mlir"),
            (Tags{"parameter", "chain", "constant scalar", "no input",
                  "any destination"}));
}

TEST(Preparation, SlicesWhosePlaceIsKnown) {
  EXPECT_EQ(tagsOf(R"mlir(
func.func @main(%i: index, %w: tensor<4x8xf32> {diffuse.parameter}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %s = tensor.extract_slice %w[0, 2] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4xf32>
  %t = tensor.extract_slice %w[0, %i] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4xf32>
  %0 = call @one(%s, %e) {tag = "static"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @one(%t, %e) {tag = "dynamic"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
})mlir"),
            Tags{"static"});
}

TEST(Preparation, NothingOfDynamicExtents) {
  EXPECT_EQ(tagsOf(R"mlir(
func.func @main(%x: f32, %w: tensor<?xf32> {diffuse.parameter}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %k = tensor.cast %w : tensor<?xf32> to tensor<4xf32>
  %0 = call @wide(%w, %e) {tag = "dynamic"} : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @scaled(%k, %x, %e) {tag = "cast"} : (tensor<4xf32>, f32, tensor<4xf32>) -> tensor<4xf32>
  %2 = call @one(%k, %e) {tag = "cast"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
})mlir"),
            Tags{});
}

TEST(Preparation, NothingInsideControlFlowNorOfOtherFunctions) {
  EXPECT_EQ(tagsOf(R"mlir(
func.func @main(%c: i1, %w: tensor<4xf32> {diffuse.parameter}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = scf.if %c -> (tensor<4xf32>) {
    %1 = func.call @one(%w, %e) {tag = "branch"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %2 = call @plain(%w, %e) {tag = "no subgraph"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
})mlir"),
            Tags{});
}

TEST(Preparation, NothingWhereRunsDoNotDiffer) {
  EXPECT_EQ(tagsOf(R"mlir(
func.func @main(%w: tensor<4xf32> {diffuse.parameter}, %d: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @one(%w, %d) {tag = "all"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})mlir"),
            Tags{});
}

TEST(Preparation, OfSeveralBlocksThoseInTheFirst) {
  EXPECT_EQ(tagsOf(R"mlir(
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {diffuse.parameter}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %1 = func.call @one(%w, %e) {tag = "first"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  cf.br ^next
^next:
  %2 = func.call @one(%w, %e) {tag = "second"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = func.call @two(%1, %x, %e) {tag = "third"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
)mlir"),
            Tags({"first"}));
}

/// Whether parameters of `main`, which `text` defines, can be prepared.
static bool canPrepareMain(llvm::StringRef text) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  auto module =
      parseSourceString<ModuleOp>(subgraphs.str() + text.str(), &context);
  EXPECT_TRUE(module);
  return module && canPrepare(module->lookupSymbol<func::FuncOp>("main"));
}

TEST(Preparation, WhereRunsStartAndDiffer) {
  EXPECT_TRUE(canPrepareMain(R"mlir(
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {diffuse.parameter}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
)mlir"));
  EXPECT_FALSE(canPrepareMain(R"mlir(
func.func @main(%w: tensor<4xf32> {diffuse.parameter}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
)mlir"));
  EXPECT_FALSE(canPrepareMain(R"mlir(
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {diffuse.parameter}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @main(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
)mlir"));
  EXPECT_FALSE(canPrepareMain("func.func private @main(tensor<4xf32>, "
                              "tensor<4xf32>) -> tensor<4xf32>"));
}
