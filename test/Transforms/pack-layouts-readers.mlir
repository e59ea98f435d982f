// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that cannot read blocks.
// RUN: diffuse-opt %s --split-input-file --diffuse-pack-layouts=target=cpu:x86-64-v3 | FileCheck %s

// An op whose result walks a loop of a reduction, and not all that are parallel,
// reads the plain form.
// CHECK-LABEL: func.func @result_along_a_reduction
// CHECK:         %[[PLAIN:.*]] = linalg.unpack %{{.*}} -> tensor<1x16x4x4xf32>
// CHECK:         linalg.generic {{.*}}ins(%[[PLAIN]] : tensor<1x16x4x4xf32>)
func.func @result_along_a_reduction(%x: tensor<1x64x6x6xf32>, %w: tensor<16x64x3x3xf32> {diffuse.parameter}) -> tensor<1x4x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x6x6xf32>, tensor<16x64x3x3xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %re = tensor.empty() : tensor<1x4x16xf32>
  %rf = linalg.fill ins(%z : f32) outs(%re : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, h, c)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%c : tensor<1x16x4x4xf32>) outs(%rf : tensor<1x4x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<1x4x16xf32>
  return %r : tensor<1x4x16xf32>
}
