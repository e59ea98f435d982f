// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction by independent threads: each computes mr by nr results in its
// registers, reads its operands through the caches, and takes ku steps of k in
// straight-line code. A block has tr by tc threads along rows and columns.
//
// Register tiles divide their extents, so the code of a thread has no edges;
// blocks need not divide anything: threads beyond the edge do nothing.
transform.named_sequence @gpu_contraction__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {targets = ["gpu"], anchors = ["contraction"], rank = 10 : i64}} {
  %mr = transform.tune.knob<"mr"> options = {divisors_of = "rows", max = 8} {diffuse.role = "register_tile", diffuse.dim = "rows", diffuse.level = 1 : i64} -> !transform.param<i64>
  %nr = transform.tune.knob<"nr"> options = {divisors_of = "cols", max = 8} {diffuse.role = "register_tile", diffuse.dim = "cols", diffuse.level = 1 : i64} -> !transform.param<i64>
  %ku = transform.tune.knob<"ku"> options = {divisors_of = "k", max = 8} {diffuse.role = "unroll", diffuse.dim = "k", diffuse.level = 1 : i64} -> !transform.param<i64>
  %tr = transform.tune.knob<"tr"> options = [1, 2, 4, 8, 16, 32] {diffuse.role = "threads", diffuse.dim = "rows", diffuse.level = 0 : i64} -> !transform.param<i64>
  %tc = transform.tune.knob<"tc"> options = [8, 16, 32, 64, 128, 256] {diffuse.role = "threads", diffuse.dim = "cols", diffuse.level = 0 : i64} -> !transform.param<i64>

  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %tile, %threads = transform.structured.fuse %root tile_sizes [1, %mr, %nr] {
      use_forall, diffuse.walk = ["batch", "rows", "cols"], diffuse.of = "root"}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
  transform.apply_patterns to %func {
    transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.apply_cse to %func : !transform.any_op

  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %step, %steps = transform.structured.tile_using_for %anchor tile_sizes [%ku] {diffuse.walk = ["k"]}
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
  %product = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %product {create_named_contraction} : !transform.any_op
  transform.apply_patterns to %func {
    transform.apply_patterns.vector.reduction_to_contract
  } : !transform.any_op
  %sides = transform.structured.match interface{LinalgOp} in %func : (!transform.any_op) -> !transform.any_op
  transform.include @vectorize_each failures(propagate) (%sides) : (!transform.any_op) -> ()
  transform.include @keep_in_registers failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}

// One iteration of the loop is one thread; code generation makes the launch.
transform.named_sequence @gpu_contraction__vector(%func: !transform.any_op {transform.readonly}) {
  %tr = transform.tune.knob<"tr"> options = [] -> !transform.param<i64>
  %tc = transform.tune.knob<"tc"> options = [] -> !transform.param<i64>
  %threads = transform.structured.match ops{["scf.forall"]} in %func : (!transform.any_op) -> !transform.any_op
  transform.annotate %threads "diffuse.threads_x" = %tc : !transform.any_op, !transform.param<i64>
  transform.annotate %threads "diffuse.threads_y" = %tr : !transform.any_op, !transform.param<i64>
  transform.yield
}
