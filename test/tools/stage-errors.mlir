// Numbers of stages that nobody can have meant are errors, not crashes; marks
// inside a loop are found.
//
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/NUMBER/-1 : i64/' %s > %t/negative.mlir
// RUN: sed 's/NUMBER/9223372036854775807 : i64/' %s > %t/large.mlir
// RUN: sed 's/NUMBER/true/' %s > %t/bit.mlir
// RUN: sed 's/NUMBER/0 : i64/' %s > %t/zero.mlir
// RUN: not diffuse-compile %t/negative.mlir -o %t/out.so 2>&1 | FileCheck %s
// RUN: not diffuse-compile %t/large.mlir -o %t/out.so 2>&1 | FileCheck %s
// RUN: not diffuse-compile %t/bit.mlir -o %t/out.so 2>&1 | FileCheck %s
// RUN: diffuse-run --check %t/zero.mlir | FileCheck %s --check-prefix=AGREE
//
// CHECK: error: expected 'diffuse.stage' to be an i64 from 0 to the number of stages, but it is
// AGREE: answers agree
func.func private @s(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  %0 = linalg.exp {diffuse.anchor, diffuse.root, diffuse.stage = NUMBER} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = call @s(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
