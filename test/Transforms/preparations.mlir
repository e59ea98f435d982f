// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-cluster-subgraphs=report=true -o %t 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s < %t
// RUN: diffuse-opt %t --diffuse-verify-module -o /dev/null

// What reads parameters alone is no part of a run. It counts no calls, and
// though it has far more work than the other, it represents no cluster; nor
// does anything represent one that no run calls.

// REPORT: remark: 3 subgraphs, 1 calls, 2 clusters, {{.*}}, 2 subgraphs run once for each handle

// CHECK:      func.func private @subgraph_0_elementwise(
// CHECK-SAME:   diffuse.calls = 0 : i64, diffuse.cluster = 0 : i64
// CHECK-NOT:  diffuse.representative
// CHECK:      func.func private @subgraph_1_contraction(
// CHECK-SAME:   diffuse.calls = 0 : i64, diffuse.cluster = 1 : i64
// CHECK-NOT:  diffuse.representative
// CHECK:      func.func private @subgraph_2_contraction(
// CHECK-SAME:   diffuse.calls = 1 : i64, diffuse.cluster = 1 : i64
// CHECK-SAME:   diffuse.representative
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x500xf32> {diffuse.parameter}) -> tensor<8x6xf32> {
  %z = arith.constant 0.0 : f32
  %v = arith.constant dense<2.0> : tensor<500x6xf32>
  %d = tensor.empty() : tensor<4x500xf32>
  %u = linalg.exp ins(%w : tensor<4x500xf32>) outs(%d : tensor<4x500xf32>) -> tensor<4x500xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %s = linalg.fill ins(%z : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = linalg.matmul ins(%u, %v : tensor<4x500xf32>, tensor<500x6xf32>) outs(%s : tensor<4x6xf32>) -> tensor<4x6xf32>
  %f = tensor.empty() : tensor<8x6xf32>
  %q = linalg.fill ins(%z : f32) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  %r = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x6xf32>) outs(%q : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}
