// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface refuses what the code behind it would read or write out of
// bounds, with a message that says what was expected.

#include "Interface.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;

namespace {
/// Room for every tensor of these tests.
alignas(64) float memory[3][4096];

diffuse_tensor tensor(unsigned index, const Extents &extents) {
  return {memory[index], extents.data()};
}
} // namespace

static constexpr char kMatmul[] = R"mlir(
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
})mlir";

TEST(Interface, ExtentsThatMustAgreeAcrossArguments) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(kMatmul));
  ASSERT_NO_FATAL_FAILURE(model.load());
  ASSERT_EQ(model.create(), DIFFUSE_OK) << model.message;
  Extents a = {3, 4}, b = {4, 8}, bad = {5, 8}, c = {3, 8}, badResult = {2, 8};
  int64_t rows = 0;
  EXPECT_EQ(model.extents({tensor(0, a), tensor(1, b)}, &rows), DIFFUSE_OK);
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(model.run({tensor(0, a), tensor(1, b)}, {tensor(2, c)}),
            DIFFUSE_OK);
  constexpr char kMessage[] = "extent 0 of 'arg1' is 5 where the model needs "
                              "4, which is extent 1 of 'arg0'";
  EXPECT_EQ(model.extents({tensor(0, a), tensor(1, bad)}, &rows),
            DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message, kMessage);
  EXPECT_EQ(model.run({tensor(0, a), tensor(1, bad)}, {tensor(2, c)}),
            DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message, kMessage);
  EXPECT_EQ(model.run({tensor(0, a), tensor(1, b)}, {tensor(2, badResult)}),
            DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message,
            "extent 0 of 'result0' is 2 where the model writes 3");
}

TEST(Interface, ExtentsThatMustEqualAStaticOneOrASum) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(R"mlir(
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %s: tensor<16xf32>) -> (tensor<?xf32>, tensor<16xf32>) {
  %ab = tensor.concat dim(0) %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.add ins(%ab, %c : tensor<?xf32>, tensor<?xf32>) outs(%ab : tensor<?xf32>) -> tensor<?xf32>
  %k = tensor.cast %a : tensor<?xf32> to tensor<16xf32>
  %t = linalg.mul ins(%k, %s : tensor<16xf32>, tensor<16xf32>) outs(%s : tensor<16xf32>) -> tensor<16xf32>
  return %r, %t : tensor<?xf32>, tensor<16xf32>
})mlir"));
  ASSERT_NO_FATAL_FAILURE(model.load());
  ASSERT_EQ(model.create(), DIFFUSE_OK);
  Extents a = {16}, b = {3}, sum = {19}, one = {1};
  int64_t rows = 0;
  Extents fixed = {16};
  auto ask = [&](Extents a, Extents b, Extents c) {
    return model.extents(
        {tensor(0, a), tensor(0, b), tensor(1, c), tensor(1, fixed)}, &rows);
  };
  EXPECT_EQ(ask(a, b, sum), DIFFUSE_OK) << model.message;
  EXPECT_EQ(rows, 19);
  EXPECT_EQ(ask(a, b, one), DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message, "extent 0 of 'arg2' is 1 where the model needs 19, "
                           "which is extent 0 of 'arg0' + extent 0 of 'arg1'");
  EXPECT_EQ(ask(b, b, sum), DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message, "extent 0 of 'arg0' is 3 where the model needs 16");
}

TEST(Interface, WindowsMustFit) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(R"mlir(
func.func @main(%x: tensor<?xf32>, %k: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.conv_1d ins(%x, %k : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
})mlir"));
  ASSERT_NO_FATAL_FAILURE(model.load());
  ASSERT_EQ(model.create(), DIFFUSE_OK);
  Extents x = {8}, k = {3}, o = {6}, large = {7};
  EXPECT_EQ(
      model.run({tensor(0, x), tensor(1, k), tensor(2, o)}, {tensor(2, o)}),
      DIFFUSE_OK)
      << model.message;
  EXPECT_EQ(model.run({tensor(0, x), tensor(1, k), tensor(2, large)},
                      {tensor(2, large)}),
            DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message, "extent 0 of 'arg2' is 7 where the model needs at "
                           "most 6, which is extent 0 of 'arg0' - extent 0 of "
                           "'arg1' + 1");
}

static constexpr char kParameter[] = R"mlir(
func.func @main(%a: tensor<4xf32>, %w: tensor<?xf32> {diffuse.parameter = "w"}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %k = tensor.cast %w : tensor<?xf32> to tensor<4xf32>
  %r = linalg.add ins(%a, %k : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})mlir";

TEST(Interface, ParametersGivenAsTensors) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(kParameter));
  ASSERT_NO_FATAL_FAILURE(model.load());
  Extents four = {4}, five = {5}, negative = {-2};
  auto create = [&](diffuse_tensor tensor) {
    diffuse_parameters parameters = {nullptr, &tensor};
    return model.create(&parameters);
  };
  EXPECT_EQ(create(tensor(0, four)), DIFFUSE_OK);
  EXPECT_EQ(create({nullptr, four.data()}), DIFFUSE_BAD_PARAMETERS);
  EXPECT_EQ(model.message, "no data for 'w'");
  EXPECT_EQ(create({reinterpret_cast<char *>(memory[0]) + 2, four.data()}),
            DIFFUSE_BAD_PARAMETERS);
  EXPECT_NE(model.message.find("elements of type f32 need an alignment of 4"),
            std::string::npos)
      << model.message;
  const int64_t *unknown[] = {nullptr, negative.data()};
  for (const int64_t *extents : unknown) {
    EXPECT_EQ(create({memory[0], extents}), DIFFUSE_BAD_PARAMETERS);
    EXPECT_EQ(model.message, "extent 0 of 'w' is dynamic: give it in extents");
  }
  EXPECT_EQ(create(tensor(0, five)), DIFFUSE_BAD_PARAMETERS);
  EXPECT_EQ(model.message, "extent 0 of 'w' is 5 where the model needs 4");
}

TEST(Interface, TensorsThatAreMissingOrOdd) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(kMatmul));
  ASSERT_NO_FATAL_FAILURE(model.load());
  ASSERT_EQ(model.create(), DIFFUSE_OK);
  Extents a = {3, 4}, b = {4, 8};
  EXPECT_EQ(model.run({}, {}), DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message, "no tensor for 'arg0'");
  EXPECT_EQ(model.run({tensor(0, a), tensor(1, b)}, {}), DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message, "no tensor for 'result0'");
  diffuse_tensor odd = {reinterpret_cast<char *>(memory[0]) + 1, a.data()};
  int64_t rows = 0;
  EXPECT_EQ(model.extents({odd, tensor(1, b)}, &rows), DIFFUSE_BAD_ARGUMENT);
  EXPECT_NE(model.message.find("data of 'arg0' lies at"), std::string::npos);
}

TEST(Interface, StatusOfTheCodeIsPassedOn) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(kMatmul));
  model.compiled.entry.object =
      objectOf("int diffuse_entry(void *b, void *s, void *w) { return 7; }\n"
               "int diffuse_extents(void **b, void *s, void *w) {\n"
               "  *(long *)b[2] = 3; return *(char *)b[0]; }\n");
  ASSERT_NO_FATAL_FAILURE(model.load());
  ASSERT_EQ(model.create(), DIFFUSE_OK);
  Extents a = {3, 4}, b = {4, 8}, c = {3, 8};
  int64_t rows = 0;
  memory[0][0] = 0;
  EXPECT_EQ(model.run({tensor(0, a), tensor(1, b)}, {tensor(2, c)}),
            DIFFUSE_FAILED);
  EXPECT_EQ(model.message, "the model failed with status 7");
  *reinterpret_cast<char *>(memory[0]) = 9;
  EXPECT_EQ(model.extents({tensor(0, a), tensor(1, b)}, &rows), DIFFUSE_FAILED);
  EXPECT_EQ(model.message, "the model failed with status 9");
}

TEST(Interface, StatusOfASubgraphIsPassedOn) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(kParameter));
  ASSERT_EQ(model.compiled.subgraphs.size(), 1u);
  CompiledObject &subgraph = model.compiled.subgraphs.front();
  subgraph.object =
      objectOf("int " + subgraph.symbol + "(void *b) { return 5; }\n");
  ASSERT_NO_FATAL_FAILURE(model.load());
  Extents four = {4};
  diffuse_tensor weight = tensor(1, four);
  diffuse_parameters parameters = {nullptr, &weight};
  ASSERT_EQ(model.create(&parameters), DIFFUSE_OK);
  EXPECT_EQ(model.run({tensor(0, four)}, {tensor(2, four)}), DIFFUSE_FAILED);
  EXPECT_EQ(model.message, "call 0 of a subgraph failed with status 5");
}
