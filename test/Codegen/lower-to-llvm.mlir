// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-lower-to-llvm="target=cpu:x86-64-v3" | FileCheck %s
// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-lower-to-llvm="target=cpu:x86-64-v3 numerics=strict" | FileCheck %s --check-prefix=STRICT

// One function for the entry, one for each subgraph, called by way of the hook;
// nothing is allocated, and buffers do not alias.

// CHECK-NOT: llvm.func @malloc
// CHECK: llvm.func internal @diffuse_entry_body({{.*}}llvm.noalias
// CHECK: llvm.call @diffuse_rt_call
// CHECK: llvm.func hidden @diffuse_entry({{.*}}!llvm.ptr, {{.*}}!llvm.ptr, {{.*}}!llvm.ptr) -> i32
// CHECK: llvm.func internal @diffuse_sg_{{.*}}_body({{.*}}llvm.noalias
// CHECK: llvm.fadd {{.*}} {fastmathFlags = #llvm.fastmath<contract, reassoc>}
// STRICT-NOT: fastmathFlags
func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %r = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}
