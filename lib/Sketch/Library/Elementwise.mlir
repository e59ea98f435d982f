// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise chains: v vectors along the contiguous dimension at a time, the
// whole chain while they are in registers.
transform.named_sequence @elementwise__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["elementwise"], rank = 10 : i64}} {
  %v = transform.tune.knob<"v"> options = {lanes_times = [1, 2, 4, 8], of = "inner"} {diffuse.role = "tile", diffuse.dim = "inner", diffuse.level = 0 : i64} -> !transform.param<i64>

  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:2 = transform.structured.fuse %root tile_sizes [1, %v] {
      diffuse.walk = ["outer", "inner"], diffuse.of = "root", diffuse.orders = [["outer", "inner"]]}
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %all = transform.structured.match interface{LinalgOp} in %func : (!transform.any_op) -> !transform.any_op
  transform.include @vectorize_each failures(propagate) (%all) : (!transform.any_op) -> ()
  transform.include @keep_in_registers failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
