// Subgraphs of several families, quick to compile and to run, of many schedules.
func.func @main(%x: tensor<48x64xf32>, %w: tensor<64x96xf32> {diffuse.parameter},
                %v: tensor<96x64xf32> {diffuse.parameter},
                %u: tensor<64x144xf32> {diffuse.parameter}) -> (tensor<48x144xf32>, tensor<48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<48x96xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<48x96xf32>) -> tensor<48x96xf32>
  %a = linalg.matmul ins(%x, %w : tensor<48x64xf32>, tensor<64x96xf32>)
                     outs(%f0 : tensor<48x96xf32>) -> tensor<48x96xf32>
  %b = linalg.exp ins(%a : tensor<48x96xf32>) outs(%e0 : tensor<48x96xf32>) -> tensor<48x96xf32>
  %e1 = tensor.empty() : tensor<48x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<48x64xf32>) -> tensor<48x64xf32>
  %c = linalg.matmul ins(%b, %v : tensor<48x96xf32>, tensor<96x64xf32>)
                     outs(%f1 : tensor<48x64xf32>) -> tensor<48x64xf32>
  %e2 = tensor.empty() : tensor<48x144xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<48x144xf32>) -> tensor<48x144xf32>
  %d = linalg.matmul ins(%c, %u : tensor<48x64xf32>, tensor<64x144xf32>)
                     outs(%f2 : tensor<48x144xf32>) -> tensor<48x144xf32>
  %e3 = tensor.empty() : tensor<48xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<48xf32>) -> tensor<48xf32>
  %s = linalg.reduce ins(%d : tensor<48x144xf32>) outs(%f3 : tensor<48xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %sum = arith.addf %in, %acc : f32
      linalg.yield %sum : f32
    }
  return %d, %s : tensor<48x144xf32>, tensor<48xf32>
}
