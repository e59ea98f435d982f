// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of 8-bit floats give what folding them by the compiler gives, for
// every code and for numbers between them.
// RUN: %python %S/Inputs/small_floats.py %t

// Sums of them are computed in f32 and rounded.
// RUN: split-file %s %t/s
// RUN: diffuse-run %t/s/sum.mlir --check --numerics=strict | FileCheck %s
// RUN: diffuse-run %t/s/sum.mlir --check | FileCheck %s
// CHECK: answers agree

// What has no lowering is named once, where it stands.
// RUN: not diffuse-run %t/s/left.mlir 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not diffuse-opt %t/s/left.mlir --diffuse-lower-to-llvm 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: left.mlir:2:{{.*}}error: 'arith.truncf' on '{{.*}}f32{{.*}}' giving '{{.*}}f6E2M3FN{{.*}}' in 'diffuse_{{.*}}' has no lowering to LLVM
// LEFT-NOT: error:

//--- sum.mlir
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %a = arith.truncf %x : tensor<64xf32> to tensor<64xf8E4M3FN>
  %b = arith.truncf %y : tensor<64xf32> to tensor<64xf8E4M3FN>
  %c = arith.addf %a, %b : tensor<64xf8E4M3FN>
  %r = arith.extf %c : tensor<64xf8E4M3FN> to tensor<64xf32>
  return %r : tensor<64xf32>
}
//--- left.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %q = arith.truncf %x : tensor<8xf32> to tensor<8xf6E2M3FN>
  %r = arith.extf %q : tensor<8xf6E2M3FN> to tensor<8xf32>
  return %r : tensor<8xf32>
}
