// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library inlines functions, so what they make of parameters that they are given
// is done once for each handle too, and counts as little.
// RUN: diffuse-opt %s --diffuse-outline-subgraphs -o %t
// RUN: FileCheck %s < %t

// What runs is what counts.
// RUN: diffuse-run %t --schedules=default --profile=%t.json
// RUN: FileCheck %s --check-prefix=SUMS < %t.json
// RUN: FileCheck %s --check-prefix=ONCE < %t.json

// Twice with a parameter, and once more through another function: all prepared.
// Once with a parameter and once with data: one of these counts.
// CHECK-DAG: func.func private @subgraph_{{[0-9]}}_elementwise(%{{.*}}: tensor<4x6xf32>{{.*}}, %{{.*}}: tensor<4x6xf32> {diffuse.destination}) -> tensor<4x6xf32> attributes {diffuse.calls = 0 : i64
// CHECK-DAG: func.func private @subgraph_{{[0-9]}}_elementwise(%{{.*}}: tensor<3x5xf32>{{.*}}, %{{.*}}: tensor<3x5xf32> {diffuse.destination}) -> tensor<3x5xf32> attributes {diffuse.calls = 1 : i64
// CHECK-DAG: func.func private @subgraph_{{[0-9]}}_contraction({{.*}}tensor<8x6xf32> attributes {diffuse.calls = 3 : i64

// SUMS-COUNT-3: contraction
// SUMS-NOT: contraction
// ONCE: elementwise
// ONCE-NOT: elementwise
func.func @layer(%x: tensor<8x4xf32>, %w: tensor<4x6xf32> {diffuse.parameter}) -> tensor<8x6xf32> {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<4x6xf32>
  %u = linalg.exp ins(%w : tensor<4x6xf32>) outs(%d : tensor<4x6xf32>) -> tensor<4x6xf32>
  %e = tensor.empty() : tensor<8x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %r = linalg.matmul ins(%x, %u : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}
func.func @outer(%x: tensor<8x4xf32>, %w: tensor<4x6xf32> {diffuse.parameter}) -> tensor<8x6xf32> {
  %r = call @layer(%x, %w) : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}
func.func @turned(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %r = linalg.tanh ins(%x : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func @main(%x: tensor<8x4xf32>, %y: tensor<3x5xf32>, %w: tensor<4x6xf32> {diffuse.parameter}, %v: tensor<4x6xf32> {diffuse.parameter}, %t: tensor<3x5xf32> {diffuse.parameter})
    -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = call @layer(%x, %w) : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = call @layer(%x, %v) : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %2 = call @outer(%x, %v) : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %3 = call @turned(%y) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %4 = call @turned(%t) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1, %2, %3, %4 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}
