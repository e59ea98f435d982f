#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {diffuse.provenance = {}} {
  func.func @main(%arg0: tensor<32x64xf32>, %arg1: tensor<24x32xf32> {diffuse.parameter}, %arg2: tensor<24xf32> {diffuse.parameter}) -> tensor<24x64xf32> {
    %0 = tensor.empty() : tensor<24x64xf32>
    %1 = call @subgraph_0_contraction(%arg1, %arg0, %arg2, %0) : (tensor<24x32xf32>, tensor<32x64xf32>, tensor<24xf32>, tensor<24x64xf32>) -> tensor<24x64xf32>
    return %1 : tensor<24x64xf32>
  }
  func.func private @subgraph_0_contraction(%arg0: tensor<24x32xf32> {diffuse.parameter}, %arg1: tensor<32x64xf32>, %arg2: tensor<24xf32> {diffuse.parameter}, %arg3: tensor<24x64xf32> {diffuse.destination}) -> tensor<24x64xf32> attributes {diffuse.calls = 1 : i64, diffuse.cluster = 0 : i64, diffuse.exact_hash = "0ddaaa000a25a6fd5a2bf990c1451e43", diffuse.family_hash = "5d1f7aebfeb1cd7d42209540d5d4f6a2", diffuse.representative, diffuse.schedule = @diffuse_schedules::@subgraph_0_contraction__tensor, diffuse.structure_hash = "b675242c8d5a904d09e3ee386913966b", diffuse.subgraph, no_inline} {
    %0 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<24xf32>) outs(%arg3 : tensor<24x64xf32>) attrs =  {diffuse.prologue} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x64xf32>
    %1 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<24x32xf32>, tensor<32x64xf32>) outs(%0 : tensor<24x64xf32>) attrs =  {diffuse.anchor, diffuse.root} {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.mulf %in_0, %in : f32
      %4 = arith.addf %out, %3 : f32
      linalg.yield %4 : f32
    } -> tensor<24x64xf32>
    %2 = bufferization.materialize_in_destination %1 in %arg3 : (tensor<24x64xf32>, tensor<24x64xf32>) -> tensor<24x64xf32>
    return %2 : tensor<24x64xf32>
  }
  module @diffuse_schedules attributes {transform.with_named_sequence} {
    transform.named_sequence @subgraph_0_contraction__tensor(%arg0: !transform.any_op {transform.readonly}) attributes {diffuse.selected = {kc = 32 : i64, mb = 1 : i64, mr = 6 : i64, nb = 1 : i64, nr = 16 : i64, order = 0 : i64, sketch = "contraction_tile"}} {
      %0 = transform.structured.match ops{["tensor.pad"]} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %0 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        %17 = transform.structured.rewrite_in_destination_passing_style %arg1 : (!transform.any_op) -> !transform.any_op
        %18 = transform.get_producer_of_operand %17[1] : (!transform.any_op) -> !transform.any_op
        transform.annotate %18 "diffuse.border" : !transform.any_op
        %19 = transform.structured.insert_slice_to_copy %17 : (!transform.any_op) -> !transform.any_op
        transform.annotate %19 "diffuse.border" : !transform.any_op
      }
      %1 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.sequence %1 : !transform.any_op failures(suppress) {
      ^bb0(%arg1: !transform.any_op):
        %17 = get_operand %arg1[-1] : (!transform.any_op) -> !transform.any_value
        %18 = get_defining_op %17 : (!transform.any_value) -> !transform.any_op
        annotate %18 "diffuse.init" : !transform.any_op
      }
      %2 = transform.structured.match attributes {diffuse.root} in %arg0 : (!transform.any_op) -> !transform.any_op
      %transformed, %loops = transform.structured.fuse %2 tile_sizes [0, 64] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %3 = transform.cast %loops : !transform.any_op to !transform.op<"scf.for">
      transform.foreach %3 : !transform.op<"scf.for"> {
      ^bb0(%arg1: !transform.op<"scf.for">):
        transform.sequence %arg1 : !transform.op<"scf.for"> failures(suppress) {
        ^bb0(%arg2: !transform.op<"scf.for">):
          %peeled_loop, %remainder_loop = transform.loop.peel %arg2 : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
          foreach %remainder_loop : !transform.any_op {
          ^bb0(%arg3: !transform.any_op):
            %17 = transform.structured.match attributes {diffuse.anchor} in %arg3 : (!transform.any_op) -> !transform.any_op
            transform.annotate %17 "diffuse.narrow" : !transform.any_op
          }
        }
      }
      %4 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %4 : !transform.op<"scf.for"> {
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
      %5 = transform.structured.match attributes {diffuse.root} in %arg0 : (!transform.any_op) -> !transform.any_op
      %transformed_0, %loops_1:2 = transform.structured.fuse %5 tile_sizes [6, 16, 0] interchange [1, 0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %6 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %6 : !transform.op<"scf.for"> {
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
      %7 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      %tiled_linalg_op, %loops_2:3 = transform.structured.tile_using_for %7 tile_sizes [6, 16, 32] interchange = [2, 1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      %8 = transform.structured.match attributes {diffuse.anchor, diffuse.narrow} in %arg0 : (!transform.any_op) -> !transform.any_op
      %tiled_linalg_op_3, %loops_4:2 = transform.structured.tile_using_for %8 tile_sizes [6, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %9 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %9 : !transform.op<"scf.for"> {
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
      %10 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      %tiled_linalg_op_5, %loops_6 = transform.structured.tile_using_for %10 tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %11 = transform.structured.match attributes {diffuse.epilogue} in %arg0 : (!transform.any_op) -> !transform.any_op
      %tiled_linalg_op_7, %loops_8:2 = transform.structured.tile_using_for %11 tile_sizes [6, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %12 = transform.structured.match attributes {diffuse.init} in %arg0 : (!transform.any_op) -> !transform.any_op
      %tiled_linalg_op_9, %loops_10:2 = transform.structured.tile_using_for %12 tile_sizes [6, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %13 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %13 : !transform.op<"scf.for"> {
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
      %14 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.structured.vectorize %14 : !transform.any_op
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.vector.reduction_to_contract
        transform.apply_patterns.vector.transfer_permutation_patterns
      } : !transform.any_op
      %15 = transform.structured.match interface{LinalgOp} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %15 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        transform.sequence %arg1 : !transform.any_op failures(suppress) {
        ^bb0(%arg2: !transform.any_op):
          transform.structured.vectorize %arg2 : !transform.any_op
        }
      }
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.canonicalization
        transform.apply_patterns.vector.transfer_permutation_patterns
        transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      } : !transform.any_op
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.canonicalization
        transform.apply_patterns.vector.cast_away_vector_leading_one_dim
        transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      } : !transform.any_op
      transform.apply_cse to %arg0 : !transform.any_op
      %16 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %16 : !transform.any_op {
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

