// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products become multiply-adds of whole rows of the result, whichever operand
// comes first and wherever a bias is broadcast: no vector is taken apart and put
// together again element by element.
// RUN: diffuse-compile %s --target=cpu:x86-64-v3 --emit=obj -o %t.o --mlir-print-ir-before-all 2>&1 | FileCheck %s

// CHECK: IR Dump Before ConvertVectorToLLVMPass
// CHECK-NOT: f32 into vector<{{[0-9]+}}xf32>
// CHECK: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: f32 into vector<{{[0-9]+}}xf32>
// CHECK: IR Dump Before ConvertComplexToLLVMPass
func.func @main(%x: tensor<32x64xf32>, %w: tensor<24x32xf32> {diffuse.parameter}, %b: tensor<24xf32> {diffuse.parameter}) -> tensor<24x64xf32> {
  %e = tensor.empty() : tensor<24x64xf32>
  %init = linalg.broadcast ins(%b : tensor<24xf32>) outs(%e : tensor<24x64xf32>) dimensions = [1]
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x64xf32>, tensor<24x32xf32>) outs(%init : tensor<24x64xf32>) {
  ^bb0(%xv: f32, %wv: f32, %acc: f32):
    %p = arith.mulf %xv, %wv : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}
