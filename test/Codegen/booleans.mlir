// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: diffuse-run %s --check --schedules=default | FileCheck %s
//
// A buffer of i1 has a byte for each element, whatever LLVM does to vectors of
// i1; masks come from one loop and are read by another.
//
// CHECK: answers agree
#m = affine_map<(d0,d1)->(d0,d1)>
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xi1>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %c = tensor.empty() : tensor<64x64xi1>
  %cmp = linalg.generic {indexing_maps=[#m,#m,#m], iterator_types=["parallel","parallel"]} ins(%a,%b: tensor<64x64xf32>,tensor<64x64xf32>) outs(%c: tensor<64x64xi1>) {
   ^bb0(%x: f32,%y: f32,%o: i1):
    %g = arith.cmpf ogt, %x, %y : f32
    linalg.yield %g : i1
  } -> tensor<64x64xi1>
  %i = linalg.fill ins(%z: f32) outs(%e: tensor<64x64xf32>) -> tensor<64x64xf32>
  %mm = linalg.matmul ins(%a,%b: tensor<64x64xf32>,tensor<64x64xf32>) outs(%i: tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps=[#m,#m,#m], iterator_types=["parallel","parallel"]} ins(%mm,%cmp: tensor<64x64xf32>,tensor<64x64xi1>) outs(%e: tensor<64x64xf32>) {
   ^bb0(%x: f32,%y: i1,%o: f32):
    %g = arith.select %y, %x, %z : f32
    linalg.yield %g : f32
  } -> tensor<64x64xf32>
  return %r, %cmp : tensor<64x64xf32>, tensor<64x64xi1>
}
