// RUN: diffuse-opt %s --split-input-file --diffuse-lower-to-nvvm --verify-diagnostics | FileCheck %s

// A schedule may make its launch itself, with upstream's operations.

// CHECK:      gpu.binary @scale_kernels
// CHECK-SAME: launches = [{block = [64, 1, 1], grid = [8, 4, 1], kernel = "scale", shared_bytes = 0 : i64}]
func.func private @scale(%x: tensor<4x512xf32>, %f: f32, %d: tensor<4x512xf32> {diffuse.destination}) -> tensor<4x512xf32>
    attributes {diffuse.subgraph, diffuse.schedule = @diffuse_schedules::@scale__tensor} {
  %r = linalg.generic {diffuse.anchor, diffuse.root,
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x512xf32>) outs(%d : tensor<4x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %f : f32
    linalg.yield %p : f32
  } -> tensor<4x512xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<4x512xf32>, tensor<4x512xf32>) -> tensor<4x512xf32>
  return %m : tensor<4x512xf32>
}
module @diffuse_schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @scale__tensor(%func: !transform.any_op {transform.readonly}) {
    %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
    %block, %blocks = transform.structured.tile_using_forall %root tile_sizes [1, 64] (mapping = [#gpu.block<y>, #gpu.block<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %thread, %threads = transform.structured.tile_using_forall %block tile_sizes [0, 1] (mapping = [#gpu.thread<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @scale__vector(%func: !transform.any_op {transform.consumed}) {
    %launch = transform.gpu.map_forall_to_blocks %func generate_gpu_launch : (!transform.any_op) -> !transform.any_op
    %mapped = transform.gpu.map_nested_forall_to_threads %launch block_dims = [64, 1, 1] sync_after_distribute = false
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A mapping without those operations is refused, and so is work outside of the
// loops that become kernels.

func.func private @scale(%x: tensor<512xf32>, %d: tensor<512xf32> {diffuse.destination}) -> tensor<512xf32>
    attributes {diffuse.subgraph, diffuse.schedule = @diffuse_schedules::@scale__tensor} {
  // expected-error@below {{a loop with a mapping is to be mapped by the schedule, with transform.gpu operations}}
  %r = linalg.generic {diffuse.anchor, diffuse.root,
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<512xf32>) outs(%d : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  } -> tensor<512xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  return %m : tensor<512xf32>
}
module @diffuse_schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @scale__tensor(%func: !transform.any_op {transform.readonly}) {
    %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
    %block, %blocks = transform.structured.tile_using_forall %root tile_sizes [64] (mapping = [#gpu.block<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func private @scale(%x: tensor<512xf32>, %d: tensor<512xf32> {diffuse.destination}) -> tensor<512xf32>
    attributes {diffuse.subgraph, diffuse.schedule = @diffuse_schedules::@scale__tensor} {
  // expected-error@below {{no kernel runs this operation of subgraph 'scale'; a schedule for a GPU must cover all of it}}
  %r = linalg.generic {diffuse.anchor, diffuse.root,
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<512xf32>) outs(%d : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  } -> tensor<512xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  return %m : tensor<512xf32>
}
module @diffuse_schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @scale__tensor(%func: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// -----

// More threads than a block may have.

func.func private @scale(%x: tensor<4096xf32>, %d: tensor<4096xf32> {diffuse.destination}) -> tensor<4096xf32>
    attributes {diffuse.subgraph, diffuse.schedule = @diffuse_schedules::@scale__tensor} {
  // expected-error@below {{a block of 2048x1x1 threads is beyond the 1024 (64 along z) of nvidia:sm_80}}
  %r = linalg.generic {diffuse.anchor, diffuse.root,
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4096xf32>) outs(%d : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  } -> tensor<4096xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %m : tensor<4096xf32>
}
module @diffuse_schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @scale__tensor(%func: !transform.any_op {transform.readonly}) {
    %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
    %tile, %threads = transform.structured.tile_using_forall %root tile_sizes [1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @scale__vector(%func: !transform.any_op {transform.readonly}) {
    %threads = transform.structured.match ops{["scf.forall"]} in %func : (!transform.any_op) -> !transform.any_op
    %number = transform.param.constant 2048 : i64 -> !transform.param<i64>
    transform.annotate %threads "diffuse.threads_x" = %number : !transform.any_op, !transform.param<i64>
    transform.yield
  }
}

// -----

// Loops beyond three share z, and a grid that is too long along z lies along x.

// CHECK:      gpu.binary @negate_kernels
// CHECK-SAME: launches = [{block = [32, 1, 1], grid = [280000, 1, 1], kernel = "negate", shared_bytes = 0 : i64}]
func.func private @negate(%x: tensor<35000x2x4x32xf32>, %d: tensor<35000x2x4x32xf32> {diffuse.destination}) -> tensor<35000x2x4x32xf32>
    attributes {diffuse.subgraph, diffuse.schedule = @diffuse_schedules::@negate__tensor} {
  %r = linalg.generic {diffuse.anchor, diffuse.root,
      indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<35000x2x4x32xf32>) outs(%d : tensor<35000x2x4x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  } -> tensor<35000x2x4x32xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<35000x2x4x32xf32>, tensor<35000x2x4x32xf32>) -> tensor<35000x2x4x32xf32>
  return %m : tensor<35000x2x4x32xf32>
}
module @diffuse_schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @negate__tensor(%func: !transform.any_op {transform.readonly}) {
    %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
    %tile, %threads = transform.structured.tile_using_forall %root tile_sizes [1, 1, 1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
