// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not diffuse-opt %s --diffuse-apply-schedules 2>&1 | FileCheck %s
// RUN: diffuse-opt %s --diffuse-apply-schedules=keep 2>%t | FileCheck %s --check-prefix=KEEP
// RUN: FileCheck %s --check-prefix=WARN < %t

// CHECK: error: schedule 'add__tensor' does not apply to subgraph 'add'
// WARN: warning: schedule of subgraph 'add' does not apply and is dropped
// KEEP-LABEL: func.func private @add(
// KEEP-NOT: diffuse.schedule =
// KEEP: linalg.add
func.func private @add(%a: tensor<16xf32>, %d: tensor<16xf32> {diffuse.destination}) -> tensor<16xf32>
    attributes {diffuse.subgraph, no_inline, diffuse.schedule = @diffuse_schedules::@add__tensor} {
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.add ins(%a, %a : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %m : tensor<16xf32>
}
module @diffuse_schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @add__tensor(%f: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.add"]} in %f : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %0 tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // The handle was consumed by the tiling.
    %u, %k = transform.structured.tile_using_for %0 tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
