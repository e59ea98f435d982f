// RUN: diffuse-opt %s --diffuse-to-nvvm=target=nvidia:sm_90 2>&1 | FileCheck %s
// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-to-nvvm=target=nvidia:sm_90 2>&1 | FileCheck %s

// Outlines what is not outlined yet.

// CHECK:      func.func private @subgraph_0_elementwise
// CHECK-NOT:  @subgraph_1
// CHECK:      gpu.binary @subgraph_0_elementwise_kernels [{{.*}}chip = "sm_90"
// CHECK-SAME: kernel = "subgraph_0_elementwise"
func.func @main(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %r = arith.addf %x, %y : tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}
