// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two public functions, neither called main: the tools ask which.
func.func @first(%a: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%a : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @second(%a: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %r = linalg.abs ins(%a : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
