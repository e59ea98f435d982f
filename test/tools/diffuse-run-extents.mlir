// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extents that the model takes for granted are checked before it runs, in a
// module and in a library, from Python too.
// RUN: diffuse-run %s --extents=3,4,4 --check | FileCheck %s --check-prefix=AGREE
// RUN: not diffuse-run %s --extents=3,4,5 2>&1 | FileCheck %s
// RUN: diffuse-compile %s -o %t.so
// RUN: not diffuse-run %t.so --extents=3,4,5 2>&1 | FileCheck %s
// RUN: not %python %S/Inputs/run_model.py %t.so 3x4 5x8 2>&1 | FileCheck %s

// AGREE: answers agree
// CHECK: extent 0 of 'arg1' is 5 where the model needs 4, which is extent 1 of 'arg0'
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
