func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %r = math.atan %x : tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}
