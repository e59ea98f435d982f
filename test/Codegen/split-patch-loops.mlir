// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of patches are copied as rows: no quotient or remainder of a loop is left
// where the loop can be cut in two or three.
// RUN: diffuse-compile %s --target=cpu:x86-64-v3 --schedules=none --emit=obj -o %t.o \
// RUN:   --mlir-print-ir-before=convert-linalg-to-loops 2>&1 | FileCheck %s
// RUN: diffuse-run %s --check --rtol=0

// CHECK:     memref.expand_shape
// CHECK:     affine_map<(d0, d1, d2, d3, d4) -> (d0, d3 * 2 + d1, d4 * 2 + d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// A loop of 10 is not cut by 4.
// CHECK:     affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>
func.func @main(%x: tensor<4x15x15xf32>, %y: tensor<3x4xf32>) -> (tensor<36x49xf32>, tensor<10xf32>) {
  %e = tensor.empty() : tensor<36x49xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0 floordiv 9, (d1 floordiv 7) * 2 + (d0 mod 9) floordiv 3, (d1 mod 7) * 2 + d0 mod 3)>,
                       affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x15x15xf32>) outs(%e : tensor<36x49xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<36x49xf32>
  %e1 = tensor.empty() : tensor<10xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : tensor<3x4xf32>) outs(%e1 : tensor<10xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<10xf32>
  return %r, %s : tensor<36x49xf32>, tensor<10xf32>
}
