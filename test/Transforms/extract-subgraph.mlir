// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-extract-subgraph=name=subgraph_1_contraction --diffuse-verify-module | FileCheck %s

// CHECK-NOT: @f
// CHECK-NOT: subgraph_0
// CHECK:     func.func private @subgraph_1_contraction(
// CHECK-SAME:  diffuse.calls = 1
// CHECK:     func.func @main(%[[A:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4x6xf32> {diffuse.parameter}, %[[C:.*]]: tensor<8x6xf32>, %[[D:.*]]: tensor<8x6xf32>) -> tensor<8x6xf32>
// CHECK:       %[[R:.*]] = call @subgraph_1_contraction(%[[A]], %[[B]], %[[C]], %[[D]])
// CHECK:       return %[[R]]
func.func @f(%a: tensor<8x4xf32>, %b: tensor<4x6xf32> {diffuse.parameter}, %c: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x4xf32>) {
  %0 = linalg.exp ins(%a : tensor<8x4xf32>) outs(%a : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %1, %0 : tensor<8x6xf32>, tensor<8x4xf32>
}
