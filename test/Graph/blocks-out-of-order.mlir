// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of code need not stand in the order of their data flow. Filters are packed
// once, in the first of them; a value that is not in blocks when its reader is looked
// at is packed where it is made.
// RUN: diffuse-opt %s --diffuse-pack-layouts="target=cpu:x86-64-v3 always=true" | FileCheck %s

// What is packed in the first block is prepared, and the results are those of plain
// loops.
// RUN: diffuse-opt %s --diffuse-pack-layouts="target=cpu:x86-64-v3 always=true" --diffuse-outline-subgraphs | FileCheck %s --check-prefix=COUNT
// RUN: diffuse-run %s --layouts=blocked --reference=%s

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x4x4xf32>, %[[W:.*]]: tensor<16x3x1x1xf32>
// CHECK:         linalg.pack %[[W]]
// CHECK:         linalg.generic
// CHECK:         cf.br ^[[SECOND:.*]]{{$}}
// CHECK:       ^[[THIRD:.*]]: // pred: ^[[SECOND]]
// CHECK:         tensor.collapse_shape %[[B:[a-z0-9_]*]]
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK:         %[[BLOCKS:.*]] = tensor.expand_shape %[[SUM]]
// CHECK:         %[[R:.*]] = linalg.unpack %[[BLOCKS]]
// CHECK:         return %[[R]]
// CHECK:       ^[[SECOND]]:
// CHECK-NOT:     linalg.pack %[[W]]
// CHECK:         linalg.generic
// CHECK:         %[[B]] = linalg.pack
// CHECK:         cf.br ^[[THIRD]]

// COUNT: func.func private @{{.*}}_pack({{.*}} attributes {diffuse.calls = 0 : i64
func.func @main(%x: tensor<1x3x4x4xf32>, %w: tensor<16x3x1x1xf32> {diffuse.parameter}) -> tensor<1x16x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  cf.br ^second
^third:
  %s = linalg.add ins(%a, %b : tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %s : tensor<1x16x4x4xf32>
^second:
  %b = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  cf.br ^third
}
