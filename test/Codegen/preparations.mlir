// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-lower-to-llvm="target=cpu:x86-64-v3" | FileCheck %s
// RUN: diffuse-compile %s -o %t.so
// RUN: diffuse-run %t.so --reference=%s
// RUN: diffuse-run %s --check --schedules=none

// exp(w) depends on parameters alone. It is computed by a function of its own,
// into a buffer that the entry reads: behind its arguments, before its result.

// CHECK:      llvm.func internal @diffuse_entry_body(%[[X:.*]]: !llvm.ptr {{{.*}}}, %[[W:.*]]: !llvm.ptr {{{.*}}}, %[[P:.*]]: !llvm.ptr {{{.*}}}, %[[R:.*]]: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}})
// CHECK:      llvm.call @diffuse_rt_call
// CHECK-NOT:  llvm.call @diffuse_rt_call
// CHECK:      llvm.func hidden @diffuse_entry(
// CHECK:      llvm.func internal @diffuse_prepare_body(%{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}})
// CHECK:      llvm.call @diffuse_rt_call
// CHECK-NOT:  llvm.call @diffuse_rt_call
// CHECK:      llvm.func hidden @diffuse_prepare(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
#x = affine_map<(d0, d1) -> (d0, d1)>
#w = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4xf32> {diffuse.parameter}) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %p = linalg.exp ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #x], iterator_types = ["parallel", "parallel"]}
      ins(%x, %p : tensor<8x4xf32>, tensor<4xf32>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
