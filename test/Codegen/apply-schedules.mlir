// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: diffuse-opt %s --diffuse-apply-schedules | FileCheck %s

// The schedule is applied once and its reference dropped; other functions stay.

// CHECK-LABEL: func.func private @add(
// CHECK-SAME:    diffuse.applied
// CHECK-NOT:     diffuse.schedule
// CHECK:         scf.for
// CHECK:           linalg.add
// CHECK-LABEL: func.func private @plain(
// CHECK-NOT:     scf.for
func.func private @add(%a: tensor<16xf32>, %d: tensor<16xf32> {diffuse.destination}) -> tensor<16xf32>
    attributes {diffuse.subgraph, no_inline, diffuse.schedule = @diffuse_schedules::@add__tensor} {
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.add ins(%a, %a : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %m : tensor<16xf32>
}
func.func private @plain(%a: tensor<16xf32>, %d: tensor<16xf32> {diffuse.destination}) -> tensor<16xf32>
    attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.add ins(%a, %a : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %m : tensor<16xf32>
}
module @diffuse_schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @add__tensor(%f: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.add"]} in %f : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %0 tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
