// RUN: diffuse-opt %s --split-input-file --verify-diagnostics --diffuse-verify-module

// expected-error @below {{unknown attribute 'diffuse.subgrap'}}
func.func private @misspelt() attributes {diffuse.subgrap}

// -----

// expected-error @below {{'diffuse.anchor' belongs on an op inside a subgraph, not on a function}}
func.func private @misplaced() attributes {diffuse.anchor}

// -----

// expected-error @below {{expected 'diffuse.calls' to be an i64 of at least 0, but it is -1 : i64}}
func.func private @negative() attributes {diffuse.calls = -1 : i64}

// -----

// expected-error @below {{expected 'diffuse.exact_hash' to be 32 hexadecimal digits, but it is "12"}}
func.func private @short_hash() attributes {diffuse.exact_hash = "12"}

// -----

// expected-error @below {{expected 'diffuse.parameter' to be a unit or a string, but it is 3 : i64}}
func.func private @parameter(tensor<4xf32> {diffuse.parameter = 3 : i64})

// -----

// expected-error @below {{subgraph has no body}}
func.func private @no_body() attributes {diffuse.subgraph, no_inline}

// -----

// expected-error @below {{subgraph lacks 'no_inline', so the inliner would dissolve it}}
func.func private @inlinable() attributes {diffuse.subgraph} {
  return
}

// -----

// expected-error @below {{subgraph has 2 blocks, not 1}}
func.func private @blocks() attributes {diffuse.subgraph, no_inline} {
  cf.br ^next
^next:
  return
}

// -----

// expected-error @below {{subgraph returns 1 values but has 0 arguments from the first 'diffuse.destination' on}}
func.func private @no_destination(%x: tensor<4xf32>) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{destination 0 has type 'tensor<5xf32>' but the result has type 'tensor<4xf32>'}}
func.func private @other_type(%x: tensor<4xf32>, %d: tensor<5xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %x : tensor<4xf32>
}

// -----

// expected-note @below {{destination is argument 1}}
func.func private @not_written(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  %0 = linalg.exp {diffuse.anchor, diffuse.root} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{result 0 is not written into its destination}}
  return %0 : tensor<4xf32>
}

// -----

func.func private @two_anchors(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  // expected-note @below {{the first is here}}
  %0 = linalg.exp {diffuse.anchor} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{second op with 'diffuse.anchor'}}
  %1 = linalg.exp {diffuse.anchor, diffuse.root} ins(%0 : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %2 = bufferization.materialize_in_destination %1 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// expected-error @below {{subgraph has no op with 'diffuse.anchor'}}
func.func private @no_anchor() attributes {diffuse.subgraph, no_inline} {
  return
}

// -----

// expected-error @below {{argument 0 carries 'diffuse.destination', which needs 'diffuse.subgraph' on the function}}
func.func @plain(%d: tensor<4xf32> {diffuse.destination}) {
  return
}

// -----

// expected-error @below {{'diffuse.cluster' needs 'diffuse.subgraph'}}
func.func @plain() attributes {diffuse.cluster = 0 : i64} {
  return
}

// -----

// expected-note @below {{this function lacks 'diffuse.subgraph'}}
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'diffuse.root' outside of a subgraph}}
  %0 = linalg.exp {diffuse.root} ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{'diffuse.schedule' refers to the module @diffuse_schedules, which does not exist}}
func.func @plain() attributes {diffuse.schedule = @diffuse_schedules::@s__tensor} {
  return
}

// -----

// expected-error @below {{expected 'diffuse.schedule' to be a reference like @diffuse_schedules::@NAME__tensor, but it is @s}}
func.func @plain() attributes {diffuse.schedule = @s} {
  return
}

// -----

// expected-error @below {{'diffuse.schedule' refers to the sequence @s__tensor, which does not exist}}
func.func @plain() attributes {diffuse.schedule = @diffuse_schedules::@s__tensor} {
  return
}
// expected-note @below {{looked for it here}}
module @diffuse_schedules {
}

// -----

// expected-note @below {{the other is here}}
func.func private @a(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline, diffuse.cluster = 0 : i64, diffuse.representative} {
  %0 = linalg.exp {diffuse.anchor, diffuse.root} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// expected-error @below {{cluster 0 has two representatives}}
func.func private @b(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline, diffuse.cluster = 0 : i64, diffuse.representative} {
  %0 = linalg.exp {diffuse.anchor, diffuse.root} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-note @below {{the other is here}}
func.func private @a(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline, diffuse.cluster = 0 : i64, diffuse.family_hash = "00000000000000000000000000000000"} {
  %0 = linalg.exp {diffuse.anchor, diffuse.root} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// expected-error @below {{cluster 0 holds two families}}
func.func private @b(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline, diffuse.cluster = 0 : i64, diffuse.family_hash = "10000000000000000000000000000000"} {
  %0 = linalg.exp {diffuse.anchor, diffuse.root} ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func private @no_results(%a: memref<4xf32>, %d: memref<4xf32>) attributes {diffuse.subgraph, no_inline} {
  // expected-error @below {{op with 'diffuse.anchor' has no results}}
  linalg.exp {diffuse.anchor, diffuse.root} ins(%a : memref<4xf32>) outs(%d : memref<4xf32>)
  return
}

// -----

func.func private @more_loops(%a: tensor<4x4xf32>, %d: tensor<4x4xf32> {diffuse.destination}) -> tensor<4x4xf32> attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<4xf32>
  // expected-note @below {{the anchor is here}}
  %r = linalg.reduce { arith.addf } ins(%a : tensor<4x4xf32>) outs(%e : tensor<4xf32>) dimensions = [1] {diffuse.anchor}
  // expected-error @below {{op with 'diffuse.root' has 2 loops, but the anchor's result has 1 dimensions}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<4xf32>) outs(%d : tensor<4x4xf32>) attrs = {diffuse.root, diffuse.epilogue} {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// expected-error @below {{stage 1 of the subgraph has no op with 'diffuse.root'}}
func.func private @no_root_of_stage(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp {diffuse.anchor, diffuse.root, diffuse.stage = 0 : i64} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp {diffuse.anchor, diffuse.stage = 1 : i64} ins(%0 : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %2 = bufferization.materialize_in_destination %1 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func private @two_anchors_of_stage(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp {diffuse.anchor, diffuse.root, diffuse.stage = 0 : i64} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{the first is here}}
  %1 = linalg.exp {diffuse.anchor, diffuse.stage = 1 : i64} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{second op with 'diffuse.anchor'}}
  %2 = linalg.exp {diffuse.anchor, diffuse.root, diffuse.stage = 1 : i64} ins(%1 : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %3 = bufferization.materialize_in_destination %2 in %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
