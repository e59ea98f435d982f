// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Valid MLIR in which there is nothing to tune.
func.func @main(%a: f32, %b: f32) -> f32 {
  %sum = arith.addf %a, %b : f32
  return %sum : f32
}
