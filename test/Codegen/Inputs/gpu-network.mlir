// Three subgraphs: products of odd extents and with a batch, and an elementwise
// function whose values the CUDA Toolkit's math library computes.
func.func @main(%a: tensor<127x65xf32>, %b: tensor<65x131xf32>, %c: tensor<12x37x64xf32>, %d: tensor<12x64x41xf32>, %e: tensor<3x5x7x11xf32>)
    -> (tensor<127x131xf32>, tensor<12x37x41xf32>, tensor<3x5x7x11xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty0 = tensor.empty() : tensor<127x131xf32>
  %init0 = linalg.fill ins(%zero : f32) outs(%empty0 : tensor<127x131xf32>) -> tensor<127x131xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<127x65xf32>, tensor<65x131xf32>) outs(%init0 : tensor<127x131xf32>) -> tensor<127x131xf32>
  %empty1 = tensor.empty() : tensor<12x37x41xf32>
  %init1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<12x37x41xf32>) -> tensor<12x37x41xf32>
  %1 = linalg.batch_matmul ins(%c, %d : tensor<12x37x64xf32>, tensor<12x64x41xf32>) outs(%init1 : tensor<12x37x41xf32>) -> tensor<12x37x41xf32>
  %2 = math.atan %e : tensor<3x5x7x11xf32>
  return %0, %1, %2 : tensor<127x131xf32>, tensor<12x37x41xf32>, tensor<3x5x7x11xf32>
}
