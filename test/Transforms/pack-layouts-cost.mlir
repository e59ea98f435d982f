// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks are for what gains more by them than moving to and fro takes.
// RUN: diffuse-opt %s --diffuse-pack-layouts="target=cpu:x86-64-v3 report" 2>&1 | FileCheck %s
// RUN: diffuse-opt %s --diffuse-pack-layouts="target=cpu:x86-64-v3 always" | FileCheck %s --check-prefix=ALWAYS

// Wider vectors compute more in the time that moving takes.
// RUN: diffuse-opt %s --diffuse-pack-layouts="target=cpu:x86-64-v4 report" 2>&1 | FileCheck %s --check-prefix=WIDE

// One pointwise convolution computes too little, and what is read by nothing but
// plain code goes with it.
// CHECK:      :[[# @LINE + 15]]:8: remark: channels of 2 ops stay plain: they compute 0.135 MFLOP, and to and from blocks 0.016 MB are moved in each run
// CHECK:      remark: channels of 1 ops are in blocks: they compute 1.180 MFLOP, and to and from blocks 0.016 MB are moved in each run
// CHECK:      remark: channels of 1 ops are in blocks: they compute 0.131 MFLOP, and to and from blocks 0.000 MB are moved in each run
// WIDE-COUNT-2: stay plain
// WIDE:       are in blocks
// CHECK-LABEL: func.func @pointwise
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<16x256xf32>)
// CHECK-NOT:     linalg.unpack
// ALWAYS-LABEL: func.func @pointwise
// ALWAYS:        linalg.unpack
func.func @pointwise(%x: tensor<1x16x16x16xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}) -> tensor<1x16x16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x16x16xf32>, tensor<16x16x1x1xf32>) outs(%f : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  %r = linalg.exp ins(%c : tensor<1x16x16x16xf32>) outs(%e : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  return %r : tensor<1x16x16x16xf32>
}

// CHECK-LABEL: func.func @window
// CHECK:         linalg.pack
// CHECK:         linalg.unpack
func.func @window(%x: tensor<1x16x18x18xf32>, %w: tensor<16x16x3x3xf32> {diffuse.parameter}) -> tensor<1x16x16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x18x18xf32>, tensor<16x16x3x3xf32>) outs(%f : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  return %c : tensor<1x16x16x16xf32>
}

// Where nothing has to be moved, blocks cost nothing.
// CHECK-LABEL: func.func @one_pixel
// CHECK:         linalg.pack
// CHECK-NOT:     linalg.unpack
func.func @one_pixel(%x: tensor<1x16x16x16xf32>, %w: tensor<16x16x16x16xf32> {diffuse.parameter}) -> tensor<1x16x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x16x16xf32>, tensor<16x16x16x16xf32>) outs(%f : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
  return %c : tensor<1x16x1x1xf32>
}
