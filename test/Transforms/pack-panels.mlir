// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of contractions in panels of 16, 8 or 4 columns of f32.
// RUN: diffuse-opt %s --split-input-file --diffuse-pack-layouts=target=cpu:x86-64-v3 | FileCheck %s

// A second run changes nothing, and what comes out goes through the next passes.
// RUN: diffuse-opt %s --split-input-file --diffuse-pack-layouts=target=cpu:x86-64-v3 -o %t.1
// RUN: diffuse-opt %t.1 --split-input-file --diffuse-pack-layouts=target=cpu:x86-64-v3 | diff %t.1 -
// RUN: diffuse-opt %t.1 --split-input-file --diffuse-outline-subgraphs --diffuse-verify-module -o %t.2

// A reader may leave open what its operands' extents are: it reads the plain form.
// CHECK-LABEL: func.func @open_extents
// CHECK:         linalg.pack %{{.*}} -> tensor<2x24x16xf32>
// CHECK:         %[[PLAIN:.*]] = tensor.collapse_shape %{{.*}} : tensor<8x2x16xf32> into tensor<8x32xf32>
// CHECK:         linalg.generic {{.*}}ins(%[[PLAIN]], %{{.*}} : tensor<8x32xf32>, tensor<?xf32>)
func.func @open_extents(%x: tensor<8x24xf32>, %w: tensor<24x32xf32> {diffuse.parameter}, %b: tensor<?xf32>) -> tensor<8x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %c = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %b : tensor<8x32xf32>, tensor<?xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}


// -----

// What is computed from parameters and fills alone is a parameter, and needs no
// panels itself.
// CHECK-LABEL: func.func @product_of_parameters
// CHECK-NOT:     linalg.pack
// CHECK:         %[[P:.*]] = linalg.generic {{.*}}ins(%arg1, %arg2 :
// CHECK:         linalg.pack %[[P]] {{.*}} -> tensor<2x24x16xf32>
func.func @product_of_parameters(%x: tensor<8x24xf32>, %u: tensor<24x4xf32> {diffuse.parameter}, %v: tensor<4x32xf32> {diffuse.parameter}) -> tensor<8x32xf32> {
  %z = arith.constant 0.0 : f32
  %ew = tensor.empty() : tensor<24x32xf32>
  %fw = linalg.fill ins(%z : f32) outs(%ew : tensor<24x32xf32>) -> tensor<24x32xf32>
  %w = linalg.matmul ins(%u, %v : tensor<24x4xf32>, tensor<4x32xf32>) outs(%fw : tensor<24x32xf32>) -> tensor<24x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %c = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}

// -----

// A parameter is packed once, whatever loop it is read in.
// CHECK-LABEL: func.func @loop
// CHECK:         %[[P:.*]] = linalg.pack %arg1 {{.*}} -> tensor<2x32x16xf32>
// CHECK:         scf.for
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.generic {{.*}}%[[P]] :
// CHECK:         scf.yield
func.func @loop(%x: tensor<8x32xf32>, %w: tensor<32x32xf32> {diffuse.parameter}) -> tensor<8x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%v = %x) -> (tensor<8x32xf32>) {
    %c = linalg.matmul ins(%v, %w : tensor<8x32xf32>, tensor<32x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
    scf.yield %c : tensor<8x32xf32>
  }
  return %r : tensor<8x32xf32>
}
