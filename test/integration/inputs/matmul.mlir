// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matmul with a ReLU behind it: one subgraph, one second of work at most.
func.func @main(%a: tensor<64x96xf32>, %w: tensor<96x80xf32> {diffuse.parameter = "w"}) -> tensor<64x80xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x80xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x80xf32>) -> tensor<64x80xf32>
  %product = linalg.matmul ins(%a, %w : tensor<64x96xf32>, tensor<96x80xf32>) outs(%init : tensor<64x80xf32>) -> tensor<64x80xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<64x80xf32>) outs(%empty : tensor<64x80xf32>) {
  ^bb0(%x: f32, %out: f32):
    %positive = arith.maximumf %x, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<64x80xf32>
  return %result : tensor<64x80xf32>
}
