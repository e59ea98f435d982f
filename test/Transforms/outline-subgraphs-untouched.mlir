// RUN: diffuse-opt %s --allow-unregistered-dialect --diffuse-outline-subgraphs > %t.1
// RUN: FileCheck %s < %t.1
// RUN: diffuse-opt %s --allow-unregistered-dialect > %t.2
// RUN: diff %t.1 %t.2

// Side effects, memrefs, other dialects and functions without a body stay.

// CHECK-NOT: diffuse.subgraph
func.func private @external(tensor<4xf32>)
func.func @side_effect(%x: tensor<3xf32>, %m: memref<1xi64>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = memref.load %m[%c0] : memref<1xi64>
    memref.store %1, %m[%c0] : memref<1xi64>
    linalg.yield %in : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @buffers(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}
func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "other.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  call @external(%0) : (tensor<4xf32>) -> ()
  return %0 : tensor<4xf32>
}
