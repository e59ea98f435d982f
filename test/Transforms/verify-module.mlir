// RUN: diffuse-opt %s --verify-diagnostics --diffuse-verify-module

module attributes {diffuse.provenance = {tool = "diffuse-tune"}} {
  func.func @main(%x: tensor<4xf32> {diffuse.parameter = "layer.weight"}) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %r = call @sub(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
  func.func private @sub(%x: tensor<4xf32> {diffuse.parameter}, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32>
      attributes {diffuse.subgraph, no_inline, diffuse.calls = 1 : i64, diffuse.schedule = @diffuse_schedules::@sub__tensor} {
    %0 = linalg.exp {diffuse.anchor, diffuse.root} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
    %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @many_clusters(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32>
      attributes {diffuse.subgraph, no_inline, diffuse.cluster = 9223372036854775807 : i64} {
    %0 = linalg.exp {diffuse.anchor, diffuse.root} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
    %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  module @diffuse_schedules attributes {transform.with_named_sequence} {
    transform.named_sequence @sub__tensor(%f: !transform.any_op {transform.readonly}) {
      transform.yield
    }
  }
}
