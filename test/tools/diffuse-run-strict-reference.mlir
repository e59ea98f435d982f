// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers are held against strict numerics, whatever the mode of the run: a
// fused multiply-add differs from it in its last digit.
// RUN: not diffuse-run %s --schedules=none --check --rtol=0 2>&1 | FileCheck %s
// RUN: diffuse-run %s --schedules=none --check --rtol=0 --numerics=strict
// RUN: diffuse-run %s --schedules=none --check
// REQUIRES: host-fma

// CHECK: answers differ
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<999xf32>, %y: tensor<999xf32>, %z: tensor<999xf32>) -> tensor<999xf32> {
  %e = tensor.empty() : tensor<999xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y, %z : tensor<999xf32>, tensor<999xf32>, tensor<999xf32>) outs(%e : tensor<999xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<999xf32>
  return %r : tensor<999xf32>
}
