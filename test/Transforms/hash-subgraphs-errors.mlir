// RUN: diffuse-opt %s --split-input-file --verify-diagnostics --diffuse-hash-subgraphs

func.func @elided() -> tensor<4xf32> {
  // expected-error @below {{constant of type 'tensor<4xf32>' has no data: resource '__elided__' is not in the file}}
  %0 = arith.constant dense_resource<__elided__> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{subgraph has no op with 'diffuse.anchor'}}
func.func private @no_anchor(%x: tensor<4xf32>) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %x : tensor<4xf32>
}
