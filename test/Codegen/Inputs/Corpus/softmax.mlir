#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module attributes {diffuse.provenance = {}} {
  func.func @main(%arg0: tensor<8x96xf32>) -> tensor<8x96xf32> {
    %0 = tensor.empty() : tensor<8xf32>
    %1 = call @subgraph_0_reduction(%arg0, %0) : (tensor<8x96xf32>, tensor<8xf32>) -> tensor<8xf32>
    %2 = tensor.empty() : tensor<8x96xf32>
    %3 = call @subgraph_1_elementwise(%arg0, %1, %2) : (tensor<8x96xf32>, tensor<8xf32>, tensor<8x96xf32>) -> tensor<8x96xf32>
    %4 = tensor.empty() : tensor<8xf32>
    %5 = call @subgraph_2_reduction(%3, %4) : (tensor<8x96xf32>, tensor<8xf32>) -> tensor<8xf32>
    %6 = tensor.empty() : tensor<8x96xf32>
    %7 = call @subgraph_3_elementwise(%3, %5, %6) : (tensor<8x96xf32>, tensor<8xf32>, tensor<8x96xf32>) -> tensor<8x96xf32>
    return %7 : tensor<8x96xf32>
  }
  func.func private @subgraph_0_reduction(%arg0: tensor<8x96xf32>, %arg1: tensor<8xf32> {diffuse.destination}) -> tensor<8xf32> attributes {diffuse.calls = 1 : i64, diffuse.cluster = 0 : i64, diffuse.exact_hash = "a1144d89c96738fdce5ebbe7468340d8", diffuse.family_hash = "f826c48a57eb1ec19b050d727134d13d", diffuse.representative, diffuse.schedule = @diffuse_schedules::@subgraph_0_reduction__tensor, diffuse.structure_hash = "3e0f661553d491450e2f205853f986e8", diffuse.subgraph, no_inline} {
    %cst = arith.constant 0xFFC00000 : f32
    %0 = linalg.fill {diffuse.prologue} ins(%cst : f32) outs(%arg1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<8x96xf32>) outs(%0 : tensor<8xf32>) attrs =  {diffuse.anchor, diffuse.root} {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.maxnumf %in, %out : f32
      linalg.yield %3 : f32
    } -> tensor<8xf32>
    %2 = bufferization.materialize_in_destination %1 in %arg1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @subgraph_1_elementwise(%arg0: tensor<8x96xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8x96xf32> {diffuse.destination}) -> tensor<8x96xf32> attributes {diffuse.calls = 1 : i64, diffuse.cluster = 1 : i64, diffuse.exact_hash = "1a4713c16c99883f30d56d7297d95f12", diffuse.family_hash = "2478e0f24471cb8121736e0363e264ce", diffuse.representative, diffuse.schedule = @diffuse_schedules::@subgraph_1_elementwise__tensor, diffuse.structure_hash = "d735fb43415b971ba26bdc2fae5e4428", diffuse.subgraph, no_inline} {
    %0 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<8x96xf32>, tensor<8xf32>) outs(%arg2 : tensor<8x96xf32>) attrs =  {diffuse.anchor, diffuse.root} {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %2 = arith.subf %in, %in_0 : f32
      %3 = math.exp %2 : f32
      linalg.yield %3 : f32
    } -> tensor<8x96xf32>
    %1 = bufferization.materialize_in_destination %0 in %arg2 : (tensor<8x96xf32>, tensor<8x96xf32>) -> tensor<8x96xf32>
    return %1 : tensor<8x96xf32>
  }
  func.func private @subgraph_2_reduction(%arg0: tensor<8x96xf32>, %arg1: tensor<8xf32> {diffuse.destination}) -> tensor<8xf32> attributes {diffuse.calls = 1 : i64, diffuse.cluster = 2 : i64, diffuse.exact_hash = "05b2c213c132d42d35b435fbfae2ca41", diffuse.family_hash = "1395fb143878d502c63837785c4bdf37", diffuse.representative, diffuse.schedule = @diffuse_schedules::@subgraph_2_reduction__tensor, diffuse.structure_hash = "f3ef145f5f6f29d3710f260e3b572094", diffuse.subgraph, no_inline} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = linalg.fill {diffuse.prologue} ins(%cst : f32) outs(%arg1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<8x96xf32>) outs(%0 : tensor<8xf32>) attrs =  {diffuse.anchor, diffuse.root} {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.addf %in, %out : f32
      linalg.yield %3 : f32
    } -> tensor<8xf32>
    %2 = bufferization.materialize_in_destination %1 in %arg1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @subgraph_3_elementwise(%arg0: tensor<8x96xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8x96xf32> {diffuse.destination}) -> tensor<8x96xf32> attributes {diffuse.calls = 1 : i64, diffuse.cluster = 1 : i64, diffuse.exact_hash = "14e4417e8b59292c1a941d8f17bdf062", diffuse.family_hash = "2478e0f24471cb8121736e0363e264ce", diffuse.schedule = @diffuse_schedules::@subgraph_3_elementwise__tensor, diffuse.structure_hash = "c1caf430ff8241d1308b54b5a5bc4bc5", diffuse.subgraph, no_inline} {
    %0 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<8x96xf32>, tensor<8xf32>) outs(%arg2 : tensor<8x96xf32>) attrs =  {diffuse.anchor, diffuse.root} {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %2 = arith.divf %in, %in_0 : f32
      linalg.yield %2 : f32
    } -> tensor<8x96xf32>
    %1 = bufferization.materialize_in_destination %0 in %arg2 : (tensor<8x96xf32>, tensor<8x96xf32>) -> tensor<8x96xf32>
    return %1 : tensor<8x96xf32>
  }
  module @diffuse_schedules attributes {transform.with_named_sequence} {
    transform.named_sequence @subgraph_0_reduction__tensor(%arg0: !transform.any_op {transform.readonly}) attributes {diffuse.selected = {sketch = "reduction_lanes", v = 8 : i64}} {
      %0 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.sequence %0 : !transform.any_op failures(suppress) {
      ^bb0(%arg1: !transform.any_op):
        %7 = get_operand %arg1[-1] : (!transform.any_op) -> !transform.any_value
        %8 = get_defining_op %7 : (!transform.any_value) -> !transform.any_op
        annotate %8 "diffuse.init" : !transform.any_op
      }
      %1 = transform.structured.match attributes {diffuse.root} in %arg0 : (!transform.any_op) -> !transform.any_op
      %transformed, %loops = transform.structured.fuse %1 tile_sizes [1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %2 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %2 : !transform.op<"scf.for"> {
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
      %3 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %3 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        %fill_op, %split_op, %combining_op, %for_op = transform.structured.tile_reduction_using_for %arg1 by tile_sizes = [0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
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
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
        transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      transform.apply_cse to %arg0 : !transform.any_op
      %5 = transform.structured.match interface{LinalgOp} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %5 : !transform.any_op {
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
      %6 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %6 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        transform.loop.hoist_loop_invariant_subsets %arg1 : !transform.any_op
      }
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.vector.lower_multi_reduction lowering_strategy = innerreduction
      } : !transform.any_op
      transform.yield 
    }
    transform.named_sequence @subgraph_1_elementwise__tensor(%arg0: !transform.any_op {transform.readonly}) attributes {diffuse.selected = {sketch = "elementwise", v = 32 : i64}} {
      %0 = transform.structured.match attributes {diffuse.root} in %arg0 : (!transform.any_op) -> !transform.any_op
      %transformed, %loops:2 = transform.structured.fuse %0 tile_sizes [1, 32] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %1 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %1 : !transform.op<"scf.for"> {
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
      %2 = transform.structured.match interface{LinalgOp} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %2 : !transform.any_op {
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
      %3 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %3 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        transform.loop.hoist_loop_invariant_subsets %arg1 : !transform.any_op
      }
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      transform.yield 
    }
    transform.named_sequence @subgraph_2_reduction__tensor(%arg0: !transform.any_op {transform.readonly}) attributes {diffuse.selected = {sketch = "reduction_lanes", v = 8 : i64}} {
      %0 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.sequence %0 : !transform.any_op failures(suppress) {
      ^bb0(%arg1: !transform.any_op):
        %7 = get_operand %arg1[-1] : (!transform.any_op) -> !transform.any_value
        %8 = get_defining_op %7 : (!transform.any_value) -> !transform.any_op
        annotate %8 "diffuse.init" : !transform.any_op
      }
      %1 = transform.structured.match attributes {diffuse.root} in %arg0 : (!transform.any_op) -> !transform.any_op
      %transformed, %loops = transform.structured.fuse %1 tile_sizes [1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %2 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %2 : !transform.op<"scf.for"> {
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
      %3 = transform.structured.match attributes {diffuse.anchor} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %3 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        %fill_op, %split_op, %combining_op, %for_op = transform.structured.tile_reduction_using_for %arg1 by tile_sizes = [0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
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
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
        transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      transform.apply_cse to %arg0 : !transform.any_op
      %5 = transform.structured.match interface{LinalgOp} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %5 : !transform.any_op {
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
      %6 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %6 : !transform.any_op {
      ^bb0(%arg1: !transform.any_op):
        transform.loop.hoist_loop_invariant_subsets %arg1 : !transform.any_op
      }
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      transform.apply_patterns to %arg0 {
        transform.apply_patterns.vector.lower_multi_reduction lowering_strategy = innerreduction
      } : !transform.any_op
      transform.yield 
    }
    transform.named_sequence @subgraph_3_elementwise__tensor(%arg0: !transform.any_op {transform.readonly}) attributes {diffuse.selected = {sketch = "elementwise", v = 32 : i64}} {
      %0 = transform.structured.match attributes {diffuse.root} in %arg0 : (!transform.any_op) -> !transform.any_op
      %transformed, %loops:2 = transform.structured.fuse %0 tile_sizes [1, 32] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %1 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.op<"scf.for">
      transform.foreach %1 : !transform.op<"scf.for"> {
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
      %2 = transform.structured.match interface{LinalgOp} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %2 : !transform.any_op {
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
      %3 = transform.structured.match ops{["scf.for"]} in %arg0 : (!transform.any_op) -> !transform.any_op
      transform.foreach %3 : !transform.any_op {
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

