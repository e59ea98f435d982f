// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several results that start from one tensor. Each function returns the sums
// of the rows of x and those of their squares, plus what the start holds.

#include "CompileAndLoad.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;

static constexpr llvm::StringLiteral kHead = R"mlir(
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i) -> (i)>
func.func private @sums(%x: tensor<4x8xf32>,
    %d: tensor<4xf32> {diffuse.destination},
    %e: tensor<4xf32> {diffuse.destination}) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {diffuse.subgraph, no_inline} {
  %two = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
)mlir";

static constexpr llvm::StringLiteral kFilled = R"mlir(
  %start = linalg.fill ins(%two : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
)mlir";

/// No fill, so nothing that could be made twice.
static constexpr llvm::StringLiteral kComputed = R"mlir(
  %start = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %two : f32
  } -> tensor<4xf32>
)mlir";

static constexpr llvm::StringLiteral kSums = R"mlir(
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
)mlir";

static constexpr llvm::StringLiteral kSquares = R"mlir(
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.mulf %v, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
)mlir";

/// Twice the start where the squares would be.
static constexpr llvm::StringLiteral kDoubled = R"mlir(
  %squares = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%start : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = arith.mulf %v, %two : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
)mlir";

static std::string write(llvm::StringRef name, llvm::StringRef value,
                         llvm::StringRef destination) {
  return "  %" + name.str() + " = bufferization.materialize_in_destination %" +
         value.str() + " in %" + destination.str() +
         " : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n";
}

static constexpr llvm::StringLiteral kTail =
    "  return %m0, %m1 : tensor<4xf32>, tensor<4xf32>\n}\n";

/// Runs a function and compares its second result with `second`.
static void check(const std::string &text, float second[4]) {
  Compilation compilation;
  auto object = compilation.compile(text);
  ASSERT_TRUE(mlir::succeeded(object)) << compilation.diagnostics << text;
  std::vector<float> x(32), sums(4, -1), other(4, -1);
  for (int i = 0; i < 32; ++i)
    x[i] = i % 7;
  LoadedFunction function(*object);
  function.run({x.data(), sums.data(), other.data()});
  for (int i = 0; i < 4; ++i) {
    float sum = 2, squares = 2;
    for (int j = 0; j < 8; ++j) {
      sum += x[i * 8 + j];
      squares += x[i * 8 + j] * x[i * 8 + j];
    }
    EXPECT_EQ(sums[i], sum) << text;
    EXPECT_EQ(other[i], second ? second[i] : squares) << text;
  }
}

static std::string inBothOrders(llvm::StringRef second, bool sumsFirst) {
  std::string m0 = write("m0", "sums", "d"), m1 = write("m1", second, "e");
  return sumsFirst ? m0 + m1 : m1 + m0;
}

TEST(SharedStart, BothResultsGrowFromIt) {
  for (llvm::StringRef start : {kFilled, kComputed})
    for (bool sumsFirst : {false, true})
      for (bool squaresFirst : {false, true})
        check((kHead + start + (squaresFirst ? kSquares : kSums) +
               (squaresFirst ? kSums : kSquares) +
               inBothOrders("squares", sumsFirst) + kTail)
                  .str(),
              nullptr);
}

TEST(SharedStart, ItIsAResultItself) {
  float start[4] = {2, 2, 2, 2};
  for (llvm::StringRef text : {kFilled, kComputed})
    for (bool sumsFirst : {false, true})
      check((kHead + text + kSums + inBothOrders("start", sumsFirst) + kTail)
                .str(),
            start);
}

TEST(SharedStart, TheOtherResultReadsIt) {
  float doubled[4] = {4, 4, 4, 4};
  for (llvm::StringRef text : {kFilled, kComputed})
    for (bool sumsFirst : {false, true}) {
      check((kHead + text + kSums + kDoubled +
             inBothOrders("squares", sumsFirst) + kTail)
                .str(),
            doubled);
      check((kHead + text + kDoubled + kSums +
             inBothOrders("squares", sumsFirst) + kTail)
                .str(),
            doubled);
      // Read when the first result is written already.
      check((kHead + text + kSums + write("m0", "sums", "d") + kDoubled +
             write("m1", "squares", "e") + kTail)
                .str(),
            doubled);
    }
}

TEST(SharedStart, AResultIsWrittenBeforeTheOtherIsComputed) {
  for (llvm::StringRef text : {kFilled, kComputed})
    check((kHead + text + kSums + write("m0", "sums", "d") + kSquares +
           write("m1", "squares", "e") + kTail)
              .str(),
          nullptr);
}
