// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of what computes: contractions, windows, rows.

#include "CutTilesFixture.h"

using namespace diffuse;
using namespace diffuse::test;

TEST_F(CutTiles, ContractionWithEpilogue) {
  check(subgraph("%a: tensor<37x41xf32>, %b: tensor<41x53xf32>, "
                 "%c: tensor<53xf32>",
                 "tensor<37x53xf32>", R"(
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<37x53xf32>)
      -> tensor<37x53xf32>
  %p = linalg.matmul ins(%a, %b : tensor<37x41xf32>, tensor<41x53xf32>)
      outs(%z : tensor<37x53xf32>) -> tensor<37x53xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %c : tensor<37x53xf32>, tensor<53xf32>)
      outs(%d : tensor<37x53xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  } -> tensor<37x53xf32>
)"),
        {{0, {0, 0}, {3, 5}}, {0, {36, 52}, {1, 1}}, {0, {17, 40}, {4, 13}}},
        0.05);
}

/// Padding, stride and dilation; tiles on every border.
static std::string convolution(llvm::StringRef op, llvm::StringRef filter,
                               int64_t stride, int64_t channels,
                               int64_t extent) {
  std::string out = "tensor<1x" + std::to_string(channels) + "x" +
                    std::to_string(extent) + "x" + std::to_string(extent) +
                    "xf32>";
  std::string filterType = "tensor<" + filter.str() + "xf32>";
  return subgraph(
      "%a: tensor<1x3x19x19xf32>, %w: " + filterType, out,
      R"(
  %p = tensor.pad %a low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x3x19x19xf32> to tensor<1x3x21x21xf32>
  %e = tensor.empty() : )" +
          out + R"(
  %z = linalg.fill ins(%zero : f32) outs(%e : )" +
          out + ") -> " + out + "\n  %r = linalg." + op.str() +
          " {dilations = dense<1> : vector<2xi64>, strides = "
          "dense<" +
          std::to_string(stride) +
          "> : vector<2xi64>} ins(%p, %w : tensor<1x3x21x21xf32>, " +
          filterType + ") outs(%z : " + out + ") -> " + out + "\n");
}

static std::vector<OutputTile> bordersOf(int64_t channels, int64_t extent) {
  return {{0, {0, 0, 0, 0}, {1, 2, 3, 4}},
          {0, {0, channels - 1, extent - 1, extent - 1}, {1, 1, 1, 1}},
          {0, {0, 0, 0, extent - 3}, {1, 1, 2, 3}},
          {0, {0, 1, 4, 0}, {1, 1, 3, 5}},
          {0, {0, 0, 3, 2}, {1, 2, 2, 2}}};
}

TEST_F(CutTiles, Convolutions) {
  check(convolution("conv_2d_nchw_fchw", "7x3x3x3", 1, 7, 19), bordersOf(7, 19),
        0.1);
  check(convolution("conv_2d_nchw_fchw", "7x3x3x3", 2, 7, 10), bordersOf(7, 10),
        0.2);
  check(convolution("depthwise_conv_2d_nchw_chw", "3x3x3", 2, 3, 10),
        bordersOf(3, 10), 0.3);
  check(convolution("pooling_nchw_sum", "3x3", 1, 3, 19), bordersOf(3, 19),
        0.2);
  check(convolution("pooling_nchw_max", "2x2", 2, 3, 10), bordersOf(3, 10),
        0.3);
}

TEST_F(CutTiles, InteriorToInterior) {
  // Reads inside one border and writes inside another: tiles in it, across it
  // and beside it.
  check(subgraph("%a: tensor<1x3x21x21xf32>, %w: tensor<7x3x3x3xf32>",
                 "tensor<1x7x21x21xf32>", R"(
  %b = tensor.extract_slice %a[0, 0, 1, 1] [1, 3, 19, 19] [1, 1, 1, 1]
      : tensor<1x3x21x21xf32> to tensor<1x3x19x19xf32>
  %i = tensor.extract_slice %d[0, 0, 1, 2] [1, 7, 17, 17] [1, 1, 1, 1]
      : tensor<1x7x21x21xf32> to tensor<1x7x17x17xf32>
  %z = linalg.fill ins(%zero : f32) outs(%i : tensor<1x7x17x17xf32>)
      -> tensor<1x7x17x17xf32>
  %c = linalg.conv_2d_nchw_fchw
      ins(%b, %w : tensor<1x3x19x19xf32>, tensor<7x3x3x3xf32>)
      outs(%z : tensor<1x7x17x17xf32>) -> tensor<1x7x17x17xf32>
  %least = arith.constant -2.0 : f32
  %r = tensor.pad %c low[0, 0, 1, 2] high[0, 0, 3, 2] {
  ^bb0(%x: index, %y: index, %u: index, %v: index):
    tensor.yield %least : f32
  } : tensor<1x7x17x17xf32> to tensor<1x7x21x21xf32>
)"),
        {{0, {0, 0, 0, 0}, {1, 2, 3, 4}},
         {0, {0, 1, 19, 5}, {1, 2, 2, 9}},
         {0, {0, 0, 5, 0}, {1, 7, 3, 2}},
         {0, {0, 6, 16, 15}, {1, 1, 5, 6}},
         {0, {0, 0, 5, 5}, {1, 1, 3, 9}}},
        0.1);
}

TEST_F(CutTiles, SoftmaxOfAProduct) {
  // A row each: the product is computed once for all that reads it.
  check(subgraph("%a: tensor<64x16xf32>, %b: tensor<16x29xf32>",
                 "tensor<64x29xf32>", R"(
  %e = tensor.empty() : tensor<64x29xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x29xf32>)
      -> tensor<64x29xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x16xf32>, tensor<16x29xf32>)
      outs(%z : tensor<64x29xf32>) -> tensor<64x29xf32>
  %r = linalg.softmax dimension(1) ins(%p : tensor<64x29xf32>)
      outs(%e : tensor<64x29xf32>) -> tensor<64x29xf32>
)"),
        {{0, {0, 0}, {1, 7}}, {0, {63, 22}, {1, 7}}, {0, {30, 3}, {2, 9}}},
        0.2);
}

TEST_F(CutTiles, ReductionToAScalarIsWhole) {
  check(subgraph("%a: tensor<13x17xf32>", "tensor<f32>", R"(
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%a : tensor<13x17xf32>) outs(%z : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
)"),
        {{0, {}, {}}});
}

TEST_F(CutTiles, NormalizationOfTransposedRows) {
  check(subgraph("%a: tensor<23x31xf32>", "tensor<23x31xf32>", R"(
  %n = arith.constant 31.0 : f32
  %e = tensor.empty() : tensor<31x23xf32>
  %t = linalg.transpose ins(%a : tensor<23x31xf32>)
      outs(%e : tensor<31x23xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<23xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<23xf32>) -> tensor<23xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
      affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<31x23xf32>) outs(%z : tensor<23xf32>) {
  ^bb0(%x: f32, %o: f32):
    %q = arith.mulf %x, %x : f32
    %u = arith.addf %o, %q : f32
    linalg.yield %u : f32
  } -> tensor<23xf32>
  %g = tensor.empty() : tensor<23x31xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%t, %s : tensor<31x23xf32>, tensor<23xf32>)
      outs(%g : tensor<23x31xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.divf %y, %n : f32
    %v = math.rsqrt %m : f32
    %w = arith.mulf %x, %v : f32
    linalg.yield %w : f32
  } -> tensor<23x31xf32>
)"),
        {{0, {0, 0}, {2, 3}}, {0, {22, 30}, {1, 1}}, {0, {11, 9}, {3, 22}}},
        0.4);
}
