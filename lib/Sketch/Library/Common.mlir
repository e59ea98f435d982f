// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that several sketches share. They are inlined when a sketch is
// instantiated, so a schedule is one sequence.

// Cuts every loop that its step does not divide into a main part and a single
// last iteration, whose extents then are constants. A loop without a rest is
// left alone. Innermost loops come first, so that the rest of an outer loop
// gets copies of loops already cut.
transform.named_sequence @peel_loops(%func: !transform.any_op {transform.readonly}) {
  %loops = transform.structured.match ops{["scf.for"]} in %func : (!transform.any_op) -> !transform.op<"scf.for">
  transform.foreach %loops : !transform.op<"scf.for"> {
  ^bb0(%each: !transform.op<"scf.for">):
    transform.sequence %each : !transform.op<"scf.for"> failures(suppress) {
    ^bb1(%loop: !transform.op<"scf.for">):
      %main, %rest = transform.loop.peel %loop : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    }
  }
  transform.apply_patterns to %func {
    transform.apply_patterns.linalg.tiling_canonicalization
    transform.apply_patterns.scf.for_loop_canonicalization
    transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.yield
}

// Cuts loops over columns like peel_loops, and marks what the rest computes as
// narrow: its width is no number of whole register rows.
transform.named_sequence @peel_narrow(%handles: !transform.any_op {transform.readonly}) {
  %loops = transform.cast %handles : !transform.any_op to !transform.op<"scf.for">
  transform.foreach %loops : !transform.op<"scf.for"> {
  ^bb0(%each: !transform.op<"scf.for">):
    transform.sequence %each : !transform.op<"scf.for"> failures(suppress) {
    ^bb1(%loop: !transform.op<"scf.for">):
      %main, %rests = transform.loop.peel %loop : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
      transform.foreach %rests : !transform.any_op {
      ^bb2(%rest: !transform.any_op):
        %narrow = transform.structured.match attributes{diffuse.anchor} in %rest : (!transform.any_op) -> !transform.any_op
        transform.annotate %narrow "diffuse.narrow" : !transform.any_op
      }
    }
  }
  transform.yield
}

// The op that gives the anchor its initial values, where there is one, is
// marked, to be found again after it was fused.
transform.named_sequence @mark_init(%func: !transform.any_op {transform.readonly}) {
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  transform.sequence %anchor : !transform.any_op failures(suppress) {
  ^bb0(%op: !transform.any_op):
    %start = transform.get_operand %op[-1] : (!transform.any_op) -> !transform.any_value
    %init = transform.get_defining_op %start : (!transform.any_value) -> !transform.any_op
    transform.annotate %init "diffuse.init" : !transform.any_op
  }
  transform.yield
}

// Pads of inputs become a filled buffer and a copy, both in rows of vectors:
// done once, before the loops. A pad that is fused into tiles would be redone
// for each. The pad of a result stays: its border is filled when buffers are
// assigned, and nothing is copied.
transform.named_sequence @write_out_pads(%func: !transform.any_op {transform.readonly}) {
  %pads = transform.structured.match ops{["tensor.pad"]} attributes{diffuse.prologue} in %func : (!transform.any_op) -> !transform.any_op
  transform.foreach %pads : !transform.any_op {
  ^bb0(%pad: !transform.any_op):
    %insert = transform.structured.rewrite_in_destination_passing_style %pad : (!transform.any_op) -> !transform.any_op
    %fill = transform.get_producer_of_operand %insert[1] : (!transform.any_op) -> !transform.any_op
    transform.annotate %fill "diffuse.border" : !transform.any_op
    %copy = transform.structured.insert_slice_to_copy %insert : (!transform.any_op) -> !transform.any_op
    transform.annotate %copy "diffuse.border" : !transform.any_op
  }
  transform.yield
}

// Vectorizes what can be vectorized, each op by itself.
transform.named_sequence @vectorize_each(%ops: !transform.any_op {transform.consumed}) {
  transform.foreach %ops : !transform.any_op {
  ^bb0(%each: !transform.any_op):
    transform.sequence %each : !transform.any_op failures(suppress) {
    ^bb1(%op: !transform.any_op):
      transform.structured.vectorize %op : !transform.any_op
    }
  }
  transform.yield
}

// Products summed along a dimension become vector.contract. Right after
// vectorizing: canonicalization folds a sum over one element away and leaves
// a product that is broadcast, transposed and reshaped element by element.
transform.named_sequence @form_contractions(%func: !transform.any_op {transform.readonly}) {
  transform.apply_patterns to %func {
    transform.apply_patterns.vector.reduction_to_contract
    transform.apply_patterns.vector.transfer_permutation_patterns
  } : !transform.any_op
  transform.yield
}

// Vectors read and write the tensors they belong to, and those that a loop
// carries stay in registers.
transform.named_sequence @keep_in_registers(%func: !transform.any_op {transform.readonly}) {
  transform.apply_patterns to %func {
    transform.apply_patterns.canonicalization
    transform.apply_patterns.vector.transfer_permutation_patterns
    transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
  } : !transform.any_op
  transform.apply_patterns to %func {
    transform.apply_patterns.canonicalization
    transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
  } : !transform.any_op
  transform.apply_cse to %func : !transform.any_op
  %loops = transform.structured.match ops{["scf.for"]} in %func : (!transform.any_op) -> !transform.any_op
  transform.foreach %loops : !transform.any_op {
  ^bb0(%loop: !transform.any_op):
    transform.loop.hoist_loop_invariant_subsets %loop : !transform.any_op
  }
  transform.apply_patterns to %func {
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.yield
}

// Sums over the lanes of a vector become single reductions.
transform.named_sequence @add_lanes(%func: !transform.any_op {transform.readonly}) {
  transform.apply_patterns to %func {
    transform.apply_patterns.vector.lower_multi_reduction lowering_strategy = innerreduction
  } : !transform.any_op
  transform.yield
}

// Folds away loops of one iteration inside linalg ops, vectorizes what is left
// of them, and keeps what loops carry in registers.
transform.named_sequence @vectorize_without_unit_loops(%func: !transform.any_op {transform.readonly}) {
  transform.apply_patterns to %func {
    transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.apply_cse to %func : !transform.any_op
  %all = transform.structured.match interface{LinalgOp} in %func : (!transform.any_op) -> !transform.any_op
  transform.include @vectorize_each failures(propagate) (%all) : (!transform.any_op) -> ()
  transform.apply_patterns to %func {
    transform.apply_patterns.canonicalization
    transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
  } : !transform.any_op
  transform.apply_cse to %func : !transform.any_op
  %loops = transform.structured.match ops{["scf.for"]} in %func : (!transform.any_op) -> !transform.any_op
  transform.foreach %loops : !transform.any_op {
  ^bb0(%loop: !transform.any_op):
    transform.loop.hoist_loop_invariant_subsets %loop : !transform.any_op
  }
  transform.apply_patterns to %func {
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.yield
}

// Borders of padded inputs, row by row: an outer loop for each dimension of an
// image in NCHW or NHWC but the last.
transform.named_sequence @vectorize_borders(%func: !transform.any_op {transform.readonly}) {
  %borders = transform.structured.match attributes{diffuse.border} in %func : (!transform.any_op) -> !transform.any_op
  %row, %rows:3 = transform.structured.tile_using_for %borders tile_sizes [1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @vectorize_each failures(propagate) (%row) : (!transform.any_op) -> ()
  transform.yield
}

// Borders of padded inputs whose channels come in blocks: a vector for each
// pixel of a block.
transform.named_sequence @vectorize_border_pixels(%func: !transform.any_op {transform.readonly}) {
  %borders = transform.structured.match attributes{diffuse.border} in %func : (!transform.any_op) -> !transform.any_op
  %pixel, %pixels:4 = transform.structured.tile_using_for %borders tile_sizes [1, 1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @vectorize_each failures(propagate) (%pixel) : (!transform.any_op) -> ()
  transform.yield
}
