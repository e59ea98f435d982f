func.func @main(%x: tensor<24x32xf32>, %w: tensor<32x48xf32> {diffuse.parameter}) -> tensor<24x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x48xf32>) -> tensor<24x48xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<24x32xf32>, tensor<32x48xf32>)
                     outs(%f : tensor<24x48xf32>) -> tensor<24x48xf32>
  return %0 : tensor<24x48xf32>
}
