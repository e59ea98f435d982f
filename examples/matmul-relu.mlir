// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest thing worth tuning: a matrix product with its bias and ReLU.
//
//   diffuse-tune examples/matmul-relu.mlir --budget=10s -o tuned.mlir
//   diffuse-run tuned.mlir --check --bench
//
// `diffuse.parameter` says that the weight and the bias stay the same between
// runs; the names are their keys in a safetensors file.
#whole = affine_map<(d0, d1) -> (d0, d1)>
#last = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<128x768xf32>, %weight: tensor<768x3072xf32> {diffuse.parameter = "weight"},
                %bias: tensor<3072xf32> {diffuse.parameter = "bias"}) -> tensor<128x3072xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x3072xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x3072xf32>) -> tensor<128x3072xf32>
  %product = linalg.matmul ins(%x, %weight : tensor<128x768xf32>, tensor<768x3072xf32>)
                           outs(%init : tensor<128x3072xf32>) -> tensor<128x3072xf32>
  %result = linalg.generic {indexing_maps = [#whole, #last, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<128x3072xf32>, tensor<3072xf32>) outs(%empty : tensor<128x3072xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %sum = arith.addf %a, %b : f32
    %positive = arith.maximumf %sum, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<128x3072xf32>
  return %result : tensor<128x3072xf32>
}
