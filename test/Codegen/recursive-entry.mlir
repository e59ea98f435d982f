// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An entry may be called from inside, by itself or by what it calls.
// RUN: split-file %s %t
// RUN: diffuse-run %t/itself.mlir --check | FileCheck %s
// RUN: diffuse-run %t/mutual.mlir --check | FileCheck %s
// RUN: diffuse-opt %t/itself.mlir --diffuse-lower-to-llvm | FileCheck %s --check-prefix=LOWERED
// RUN: diffuse-opt %t/mutual.mlir --diffuse-lower-to-llvm | FileCheck %s --check-prefix=LOWERED
// RUN: diffuse-tune %t/itself.mlir --budget=0 --records=none -o - | diffuse-opt | FileCheck %s --check-prefix=TUNED

// CHECK: answers agree
// LOWERED: llvm.func {{.*}}@diffuse_entry
// TUNED: func.func @main(%{{.*}}: tensor<4xf32>, %{{.*}}: index)

//--- itself.mlir
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi sle, %n, %c0 : index
  %r = scf.if %p -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %y = arith.addf %x, %x : tensor<4xf32>
    %z = func.call @main(%y, %m) : (tensor<4xf32>, index) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
//--- mutual.mlir
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %r = call @other(%x, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
  %s = arith.addf %r, %x : tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi sle, %n, %c0 : index
  %r = scf.if %p -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %y = arith.addf %x, %x : tensor<4xf32>
    %z = func.call @main(%y, %m) : (tensor<4xf32>, index) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
