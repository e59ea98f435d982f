#map = affine_map<(d0, d1, d2, d3) -> (d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {diffuse.provenance = {}} {
  func.func @main(%arg0: tensor<1x16x16x16xf32>, %arg1: tensor<32x16x3x3xf32> {diffuse.parameter}, %arg2: tensor<32xf32> {diffuse.parameter}) -> tensor<1x32x14x14xf32> {
    %0 = tensor.empty() : tensor<1x32x14x14xf32>
    %1 = call @subgraph_0_conv_2d_nchw_fchw(%arg0, %arg1, %arg2, %0) : (tensor<1x16x16x16xf32>, tensor<32x16x3x3xf32>, tensor<32xf32>, tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
    return %1 : tensor<1x32x14x14xf32>
  }
  func.func private @subgraph_0_conv_2d_nchw_fchw(%arg0: tensor<1x16x16x16xf32>, %arg1: tensor<32x16x3x3xf32> {diffuse.parameter}, %arg2: tensor<32xf32> {diffuse.parameter}, %arg3: tensor<1x32x14x14xf32> {diffuse.destination}) -> tensor<1x32x14x14xf32> attributes {diffuse.calls = 1 : i64, diffuse.cluster = 0 : i64, diffuse.exact_hash = "f93485d3d3b936531fdec257211e4c3c", diffuse.family_hash = "9c8c21819058bf90fda26cf967613069", diffuse.representative, diffuse.schedule = @diffuse_schedules::@subgraph_0_conv_2d_nchw_fchw__tensor, diffuse.structure_hash = "a111f4eb16391607638d4a4b6b324aaf", diffuse.subgraph, no_inline} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x32x14x14xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<32xf32>) outs(%0 : tensor<1x32x14x14xf32>) attrs =  {diffuse.prologue} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x32x14x14xf32>
    %2 = linalg.conv_2d_nchw_fchw {diffuse.anchor, dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x16x16x16xf32>, tensor<32x16x3x3xf32>) outs(%1 : tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x32x14x14xf32>) outs(%arg3 : tensor<1x32x14x14xf32>) attrs =  {diffuse.epilogue, diffuse.root} {
    ^bb0(%in: f32, %out: f32):
      %5 = arith.maximumf %in, %cst : f32
      linalg.yield %5 : f32
    } -> tensor<1x32x14x14xf32>
    %4 = bufferization.materialize_in_destination %3 in %arg3 : (tensor<1x32x14x14xf32>, tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
    return %4 : tensor<1x32x14x14xf32>
  }
  module @diffuse_schedules attributes {transform.with_named_sequence} {
    transform.named_sequence @subgraph_0_conv_2d_nchw_fchw__tensor(%arg0: !transform.any_op {transform.readonly}) attributes {diffuse.selected = {f = 4 : i64, h = 3 : i64, order = 0 : i64, sketch = "convolution_direct", w = 7 : i64}} {
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
      %transformed, %loops_0:4 = transform.structured.fuse %2 tile_sizes [1, 4, 3, 7] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
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
      %tiled_linalg_op_1, %loops_2:3 = transform.structured.tile_using_for %5 tile_sizes [0, 0, 0, 0, 1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
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

