// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients, remainders and falling indices: no tile of the loops is a slice of
// what they read, and upstream would cut one all the same.
// RUN: diffuse-run %s --check --rtol=0
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<5x20xf32>, %y: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) {
  %e = tensor.empty() : tensor<100xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 20, d0 mod 20)>, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<5x20xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<100xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (99 - d0)>, #id, #id], iterator_types = ["parallel"]}
      ins(%y, %y : tensor<100xf32>, tensor<100xf32>) outs(%e : tensor<100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<100xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 20, d0 mod 20)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<5x20xf32>) outs(%e : tensor<100xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<100xf32>
  return %0, %1, %2 : tensor<100xf32>, tensor<100xf32>, tensor<100xf32>
}
