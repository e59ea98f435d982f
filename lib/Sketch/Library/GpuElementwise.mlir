// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations, fused, by independent threads: each computes v
// neighbours of the contiguous dimension. A block has tx threads along it and
// ty along the dimension outside of it.
transform.named_sequence @gpu_elementwise__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {targets = ["gpu"], anchors = ["elementwise"], rank = 10 : i64}} {
  %v = transform.tune.knob<"v"> options = {divisors_of = "inner", max = 8} {diffuse.role = "register_tile", diffuse.dim = "inner", diffuse.level = 1 : i64} -> !transform.param<i64>
  %ty = transform.tune.knob<"ty"> options = [1, 2, 4, 8, 16] {diffuse.role = "threads", diffuse.dim = "outer", diffuse.level = 0 : i64} -> !transform.param<i64>
  %tx = transform.tune.knob<"tx"> options = [16, 32, 64, 128, 256] {diffuse.role = "threads", diffuse.dim = "inner", diffuse.level = 0 : i64} -> !transform.param<i64>

  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %tile, %threads = transform.structured.fuse %root tile_sizes [1, %v] {
      use_forall, diffuse.walk = ["outer", "inner"], diffuse.of = "root"}
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
  transform.apply_patterns to %func {
    transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.apply_cse to %func : !transform.any_op
  %ops = transform.structured.match interface{LinalgOp} in %func : (!transform.any_op) -> !transform.any_op
  transform.include @vectorize_each failures(propagate) (%ops) : (!transform.any_op) -> ()
  transform.include @keep_in_registers failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}

transform.named_sequence @gpu_elementwise__vector(%func: !transform.any_op {transform.readonly}) {
  %ty = transform.tune.knob<"ty"> options = [] -> !transform.param<i64>
  %tx = transform.tune.knob<"tx"> options = [] -> !transform.param<i64>
  %threads = transform.structured.match ops{["scf.forall"]} in %func : (!transform.any_op) -> !transform.any_op
  transform.annotate %threads "diffuse.threads_x" = %tx : !transform.any_op, !transform.param<i64>
  transform.annotate %threads "diffuse.threads_y" = %ty : !transform.any_op, !transform.param<i64>
  transform.yield
}
