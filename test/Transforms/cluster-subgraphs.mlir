// RUN: diffuse-opt %s --allow-unregistered-dialect --diffuse-outline-subgraphs --diffuse-cluster-subgraphs=report=true -o %t 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s < %t
// RUN: diffuse-opt %t --allow-unregistered-dialect --diffuse-cluster-subgraphs | diff - %t

// REPORT: remark: 3 subgraphs, 4 calls, 2 clusters

// The larger contraction, called twice, is searched first.

// CHECK:      @subgraph_0_contraction(%arg0: tensor<64x64xf32>
// CHECK-SAME:   diffuse.calls = 2 : i64, diffuse.cluster = 0 : i64
// CHECK-SAME:   diffuse.representative
// CHECK:      @subgraph_1_elementwise(
// CHECK-SAME:   diffuse.cluster = 1 : i64
// CHECK-SAME:   diffuse.representative
// CHECK:      @subgraph_2_contraction(
// CHECK-SAME:   diffuse.calls = 1 : i64, diffuse.cluster = 0 : i64
// CHECK-NOT:  diffuse.representative
func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>, %x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<8x6xf32>, tensor<64x64xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  %1 = linalg.matmul ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.matmul ins(%1, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = tensor.empty() : tensor<8x6xf32>
  %3 = linalg.exp ins(%c : tensor<8x6xf32>) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %4 = linalg.add ins(%0, %3 : tensor<8x6xf32>, tensor<8x6xf32>) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %u = "test.use"(%3) : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %4, %2 : tensor<8x6xf32>, tensor<64x64xf32>
}
