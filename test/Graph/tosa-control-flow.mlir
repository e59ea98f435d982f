// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and branches of TOSA become those of scf; what is inside is outlined.
//
// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-verify-module | FileCheck %s
// RUN: diffuse-run %s --check | FileCheck %s --check-prefix=ANSWER
// RUN: diffuse-run %s --check --entry=branch | FileCheck %s --check-prefix=ANSWER
//
// CHECK-LABEL: func.func @main(
// CHECK-NOT:   tosa.
// CHECK:       scf.while
// CHECK-LABEL: func.func @branch(
// CHECK:       scf.if
// CHECK-NOT:   tosa.
// ANSWER:      answers agree
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %r = tosa.while_loop (%x = %a) : (tensor<i32>) -> tensor<i32> {
    %k = "tosa.const"() {values = dense<10> : tensor<i32>} : () -> tensor<i32>
    %p = tosa.greater %k, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %p : tensor<i1>
  } do {
  ^bb0(%y: tensor<i32>):
    %o = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>
    %s = tosa.add %y, %o : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %s : tensor<i32>
  }
  return %r : tensor<i32>
}
func.func @branch(%c: tensor<i1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = "tosa.cond_if"(%c, %x, %y) ({
  ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>):
    %s = tosa.add %p, %q : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    tosa.yield %s : tensor<8xf32>
  }, {
  ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>):
    %s = tosa.sub %p, %q : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    tosa.yield %s : tensor<8xf32>
  }) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
