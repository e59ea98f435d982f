// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of what moves data, and what is no tile.

#include "CutTilesFixture.h"

using namespace diffuse;
using namespace diffuse::test;

TEST_F(CutTiles, ConcatenationAndResidual) {
  // The tiles lie left of the seam, across it and right of it.
  check(subgraph("%a: tensor<9x14xf32>, %b: tensor<9x21xf32>, "
                 "%c: tensor<9x35xf32>",
                 "tensor<9x35xf32>", R"(
  %k = tensor.concat dim(1) %a, %b
      : (tensor<9x14xf32>, tensor<9x21xf32>) -> tensor<9x35xf32>
  %u = arith.addf %k, %c : tensor<9x35xf32>
  %v = arith.mulf %u, %k : tensor<9x35xf32>
  %r = arith.addf %v, %c : tensor<9x35xf32>
)"),
        {{0, {0, 2}, {3, 5}}, {0, {4, 11}, {2, 6}}, {0, {8, 30}, {1, 5}}}, 0.2);
}

TEST_F(CutTiles, Reshapes) {
  std::string text = subgraph("%a: tensor<12x10xf32>", "tensor<4x3x10xf32>", R"(
  %s = arith.addf %a, %a : tensor<12x10xf32>
  %r = tensor.expand_shape %s [[0, 1], [2]] output_shape [4, 3, 10]
      : tensor<12x10xf32> into tensor<4x3x10xf32>
)");
  check(text, {{0, {1, 0, 2}, {2, 3, 4}}, {0, {3, 1, 0}, {1, 2, 10}}}, 0.5);
  // Rows 1 and 2 of two blocks are not next to one another.
  check(text, {{0, {1, 1, 2}, {2, 2, 4}}});
  std::string joined =
      subgraph("%a: tensor<4x3x10xf32>", "tensor<12x10xf32>", R"(
  %s = arith.addf %a, %a : tensor<4x3x10xf32>
  %r = tensor.collapse_shape %s [[0, 1], [2]]
      : tensor<4x3x10xf32> into tensor<12x10xf32>
)");
  check(joined, {{0, {3, 2}, {6, 4}}, {0, {4, 0}, {1, 10}}}, 0.5);
  check(joined, {{0, {2, 1}, {3, 3}}});
}

TEST_F(CutTiles, ScatteredAccessIsWhole) {
  check(subgraph("%a: tensor<6x8xf32>", "tensor<48xf32>", R"(
  %e = tensor.empty() : tensor<48xf32>
  %r = linalg.generic {indexing_maps = [
      affine_map<(i) -> (i floordiv 8, i mod 8)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<6x8xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<48xf32>
)"),
        {{0, {5}, {7}}, {0, {47}, {1}}});
}

TEST_F(CutTiles, IndicesAreThoseOfTheWhole) {
  check(subgraph("%a: tensor<13x11xf32>", "tensor<13x11xf32>", R"(
  %e = tensor.empty() : tensor<13x11xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<13x11xf32>) outs(%e : tensor<13x11xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %v = arith.sitofp %n : i32 to f32
    %s = arith.addf %x, %v : f32
    linalg.yield %s : f32
  } -> tensor<13x11xf32>
)"),
        {{0, {0, 0}, {2, 2}}, {0, {9, 5}, {4, 6}}}, 0.3);
}

static const char *const kTwoResults = R"(
func.func @f(%a: tensor<21x9xf32>, %d: tensor<21xf32> {diffuse.destination},
             %i: tensor<21xi32> {diffuse.destination})
    -> (tensor<21xf32>, tensor<21xi32>) attributes {diffuse.subgraph} {
  %least = arith.constant -1.0e+30 : f32
  %none = arith.constant -1 : i32
  %e = tensor.empty() : tensor<21xf32>
  %f = tensor.empty() : tensor<21xi32>
  %y = linalg.fill ins(%least : f32) outs(%e : tensor<21xf32>)
      -> tensor<21xf32>
  %z = linalg.fill ins(%none : i32) outs(%f : tensor<21xi32>)
      -> tensor<21xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<21x9xf32>)
      outs(%y, %z : tensor<21xf32>, tensor<21xi32>) {
  ^bb0(%x: f32, %o: f32, %p: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %c = arith.cmpf ogt, %x, %o : f32
    %v = arith.select %c, %x, %o : f32
    %w = arith.select %c, %n, %p : i32
    linalg.yield %v, %w : f32, i32
  } -> (tensor<21xf32>, tensor<21xi32>)
  %m = bufferization.materialize_in_destination %r#0 in %d
      : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
  %q = bufferization.materialize_in_destination %r#1 in %i
      : (tensor<21xi32>, tensor<21xi32>) -> tensor<21xi32>
  return %m, %q : tensor<21xf32>, tensor<21xi32>
}
)";

TEST_F(CutTiles, SeveralResults) {
  check(kTwoResults,
        {{0, {0}, {2}}, {1, {0}, {2}}, {0, {20}, {1}}, {1, {17}, {3}}}, 0.6);
}

TEST_F(CutTiles, RefusesWhatIsNoTile) {
  mlir::OwningOpRef<mlir::ModuleOp> module = compilation.parse(kTwoResults);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_TRUE(mlir::failed(cutTiles(function, {{2, {0}, {1}}})));
  EXPECT_TRUE(mlir::failed(cutTiles(function, {{0, {20}, {2}}})));
  EXPECT_TRUE(mlir::failed(cutTiles(function, {{0, {0, 0}, {1, 1}}})));
}
