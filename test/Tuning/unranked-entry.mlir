// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing makes data for an argument of unknown rank: that is said before
// anything is measured, and no library is built in vain.
//
// RUN: diffuse-tune %s --budget=3 --records=none --progress=none -o %t.mlir 2>&1 | FileCheck %s
// RUN: diffuse-opt %t.mlir --diffuse-verify-module -o /dev/null
// CHECK:     warning: 'main' has arguments of unknown rank
// CHECK-NOT: warning
func.func @main(%u: memref<*xf32>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %r = linalg.exp ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
