// Two contractions of one family, the first called twice.
func.func @main(%a: tensor<64x96xf32>, %b: tensor<96x96xf32> {diffuse.parameter},
                %c: tensor<96x128xf32> {diffuse.parameter}) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x96xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x96xf32>, tensor<96x96xf32>) outs(%f0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<64x96xf32>, tensor<96x96xf32>) outs(%f0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %e1 = tensor.empty() : tensor<64x128xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = linalg.matmul ins(%1, %c : tensor<64x96xf32>, tensor<96x128xf32>) outs(%f1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}
