// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What no sketch takes counts where the time of a run is estimated: here it
// would be minutes, and modules are not compared.
//
// RUN: diffuse-tune %s --budget=1 --records=none --progress=none -o %t.mlir 2>&1 | FileCheck %s
// CHECK: whole modules were not compared: one run is expected to take
func.func @main(%a: tensor<4096x4096xi32>, %b: tensor<4096x4096xi32>, %x: tensor<8x8xf32>)
    -> (tensor<4096x4096xi32>, tensor<8x8xf32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4096x4096xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4096x4096xi32>) -> tensor<4096x4096xi32>
  %p = linalg.matmul ins(%a, %b : tensor<4096x4096xi32>, tensor<4096x4096xi32>) outs(%f : tensor<4096x4096xi32>) -> tensor<4096x4096xi32>
  %d = tensor.empty() : tensor<8x8xf32>
  %r = linalg.exp ins(%x : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %p, %r : tensor<4096x4096xi32>, tensor<8x8xf32>
}
