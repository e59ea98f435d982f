// RUN: diffuse-run %s --check | FileCheck %s
// RUN: diffuse-run %s --profile | FileCheck %s --check-prefix=PROFILE

// What is left beside a subgraph that is there already is a subgraph too.

// CHECK: answers agree
// PROFILE-DAG: by_hand
// PROFILE-DAG: subgraph_0_elementwise

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = call @by_hand(%x, %e) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.negf ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
func.func private @by_hand(%x: tensor<64xf32>, %d: tensor<64xf32> {diffuse.destination}) -> tensor<64xf32> attributes {diffuse.subgraph, no_inline} {
  %0 = linalg.exp {diffuse.anchor, diffuse.root} ins(%x : tensor<64xf32>) outs(%d : tensor<64xf32>) -> tensor<64xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
