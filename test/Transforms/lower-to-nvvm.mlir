// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-lower-to-nvvm=target=nvidia:sm_80 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-lower-to-nvvm="target=nvidia:sm_90 cuda-home=/nonexistent" 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SM90

// Calls and functions stay; one binary a subgraph, whose object says how to
// launch what is in it. PTX needs no CUDA Toolkit.

// CHECK-LABEL: func.func @main
// CHECK:         call @subgraph_0_contraction
// CHECK:       gpu.binary @subgraph_0_contraction_kernels
// SM80-SAME:     #nvvm.target<chip = "sm_80"
// SM90-SAME:     #nvvm.target<chip = "sm_90"
// CHECK-SAME:    launches = [{block = [{{[0-9]+}}, {{[0-9]+}}, 1], grid = [{{[0-9]+}}, {{[0-9]+}}, 1], kernel = "subgraph_0_contraction", shared_bytes = 0 : i64}]
// SM80-SAME:     .target sm_80
// SM90-SAME:     .target sm_90
// CHECK-SAME:    .visible .entry subgraph_0_contraction(
// CHECK-SAME:    .maxntid
// CHECK-SAME:    fma.rn.f32
func.func @main(%a: tensor<126x512xf32>, %b: tensor<512x256xf32>, %bias: tensor<256xf32>) -> tensor<126x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<126x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<126x256xf32>) -> tensor<126x256xf32>
  %product = linalg.matmul ins(%a, %b : tensor<126x512xf32>, tensor<512x256xf32>) outs(%init : tensor<126x256xf32>) -> tensor<126x256xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<126x256xf32>, tensor<256xf32>) outs(%empty : tensor<126x256xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %sum = arith.addf %x, %y : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<126x256xf32>
  return %result : tensor<126x256xf32>
}
