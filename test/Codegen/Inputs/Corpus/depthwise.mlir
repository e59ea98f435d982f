module attributes {diffuse.provenance = {}} {
  func.func @main(%arg0: tensor<1x16x30x30xf32>, %arg1: tensor<16x3x3xf32> {diffuse.parameter}) -> tensor<1x16x28x28xf32> {
    %0 = tensor.empty() : tensor<1x16x28x28xf32>
    %1 = call @subgraph_0_depthwise_conv_2d_nchw_chw(%arg0, %arg1, %0) : (tensor<1x16x30x30xf32>, tensor<16x3x3xf32>, tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32>
    return %1 : tensor<1x16x28x28xf32>
  }
  func.func private @subgraph_0_depthwise_conv_2d_nchw_chw(%arg0: tensor<1x16x30x30xf32>, %arg1: tensor<16x3x3xf32> {diffuse.parameter}, %arg2: tensor<1x16x28x28xf32> {diffuse.destination}) -> tensor<1x16x28x28xf32> attributes {diffuse.calls = 1 : i64, diffuse.cluster = 0 : i64, diffuse.exact_hash = "af3b7e0deecc835d0f344c47f73d84e1", diffuse.family_hash = "c4b74ea405d7df4967254a24547ecd96", diffuse.representative, diffuse.schedule = @diffuse_schedules::@subgraph_0_depthwise_conv_2d_nchw_chw__tensor, diffuse.structure_hash = "1065b078329d948cd7085116338a68ed", diffuse.subgraph, no_inline} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = linalg.fill {diffuse.prologue} ins(%cst : f32) outs(%arg2 : tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32>
    %1 = linalg.depthwise_conv_2d_nchw_chw {diffuse.anchor, diffuse.root, dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x16x30x30xf32>, tensor<16x3x3xf32>) outs(%0 : tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32>
    %2 = bufferization.materialize_in_destination %1 in %arg2 : (tensor<1x16x28x28xf32>, tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32>
    return %2 : tensor<1x16x28x28xf32>
  }
  module @diffuse_schedules attributes {transform.with_named_sequence} {
    transform.named_sequence @subgraph_0_depthwise_conv_2d_nchw_chw__tensor(%arg0: !transform.any_op {transform.readonly}) attributes {diffuse.selected = {h = 7 : i64, sketch = "window_direct", w = 7 : i64}} {
      %0 = transform.structured.match ops{["tensor.pad"]} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %0 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        %8 = transform.structured.rewrite_in_destination_passing_style %arg1 : (!transform.any_op) -> !transform.any_op
        %9 = transform.get_producer_of_operand %8[1] : (!transform.any_op) -> !transform.any_op
        transform.annotate %9 "diffuse.border" : !transform.any_op
        %10 = transform.structured.insert_slice_to_copy %8 : (!transform.any_op) -> !transform.any_op
        transform.annotate %10 "diffuse.border" : !transform.any_op
      }
      %1 = transform.structured.match attributes {diffuse.border} in %arg0 : (!transform.any_op) -> !transform.any_op
      %tiled_linalg_op, %loops:3 = transform.structured.tile_using_for %1 tile_sizes [1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.foreach %tiled_linalg_op : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        transform.sequence %arg1 : !transform.any_op failures(suppress) {
        ^bb0(%arg2: !transform.any_op):
          transform.structured.vectorize %arg2 : !transform.any_op
        }
      }
      %2 = transform.structured.match attributes {diffuse.root} in %arg0 : (!transform.any_op) -> !transform.any_op
      %transformed, %loops_0:4 = transform.structured.fuse %2 tile_sizes [1, 7, 7, 1, 0, 0] interchange [0, 3, 1, 2, 4, 5] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      %3 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %3 : !transform.op<"scf.for"> {
      ^bb0(%arg1: !transform.op<"scf.for">):
        transform.sequence %arg1 : !transform.op<"scf.for"> failures(suppress) {
        ^bb0(%arg2: !transform.op<"scf.for">):
          %peeled_loop, %remainder_loop = transform.loop.peel %arg2 : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
        }
      }
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.linalg.tiling_canonicalization
        transform.apply_patterns.scf.for_loop_canonicalization
        transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      %4 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      %5 = transform.structured.generalize %4 : (!transform.any_op) -> !transform.any_op
      %tiled_linalg_op_1, %loops_2:2 = transform.structured.tile_using_for %5 tile_sizes [0, 0, 0, 0, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
        transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      transform.apply_cse to %arg0 : !transform.any_op
      %6 = transform.structured.match interface{LinalgOp} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %6 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        transform.sequence %arg1 : !transform.any_op failures(suppress) {
        ^bb0(%arg2: !transform.any_op):
          transform.structured.vectorize %arg2 : !transform.any_op
        }
      }
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.canonicalization
        transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      } : !transform.any_op
      transform.apply_cse to %arg0 : !transform.any_op
      %7 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %7 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        transform.loop.hoist_loop_invariant_subsets %arg1 : !transform.any_op
      }
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      transform.yield 
    }
  }
}

