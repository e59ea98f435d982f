// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A schedule with a vector part: it runs after bufferization.
// RUN: rm -rf %t && diffuse-compile %s --target=cpu:x86-64-v3 --emit=schedules -o %t
// RUN: FileCheck %s --check-prefix=MAIN < %t/schedules.mlir
// RUN: mlir-opt %t/payload.mlir --transform-preload-library='transform-library-paths=%t/schedules.mlir' --transform-interpreter | FileCheck %s

// MAIN: @__transform_main
// MAIN: transform.include @sg__tensor
// MAIN: %[[B:.*]] = transform.bufferization.one_shot_bufferize
// MAIN: transform.structured.match ops{["func.func"]} attributes {diffuse.exact_hash = "{{.*}}"} in %[[B]]
// MAIN: transform.include @sg__vector
// CHECK: func.func private @sg(%{{.*}}: memref<8xf32>
// CHECK: vector.transfer_read
// CHECK: diffuse_test_seen
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = call @sg(%a, %e) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func private @sg(%a: tensor<8xf32>, %d: tensor<8xf32> {diffuse.destination})
    -> tensor<8xf32> attributes {diffuse.subgraph, no_inline, diffuse.schedule = @diffuse_schedules::@sg__tensor} {
  %r = linalg.add {diffuse.anchor, diffuse.root} ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}
module @diffuse_schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @sg__tensor(%f: !transform.any_op {transform.readonly}) {
    %root = transform.structured.match attributes{diffuse.root} in %f : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %root : !transform.any_op
    transform.yield
  }
  transform.named_sequence @sg__vector(%f: !transform.any_op {transform.readonly}) {
    %write = transform.structured.match ops{["vector.transfer_write"]} in %f : (!transform.any_op) -> !transform.any_op
    transform.annotate %write "diffuse_test_seen" : !transform.any_op
    transform.yield
  }
}
