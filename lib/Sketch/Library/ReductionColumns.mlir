// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction over dimensions that are not contiguous: v vectors of results
// along the contiguous dimension stay in registers.
transform.named_sequence @reduction_columns__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["reduction"], elements = ["f32", "f64"],
                                  requires = ["one_type", "strided_reduction"], rank = 10 : i64}} {
  %v = transform.tune.knob<"v"> options = {lanes_times = [1, 2, 4], of = "inner"} {diffuse.role = "tile", diffuse.dim = "inner", diffuse.level = 0 : i64} -> !transform.param<i64>

  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:2 = transform.structured.fuse %root tile_sizes [1, %v] {
      diffuse.walk = ["outer", "inner"], diffuse.of = "root", diffuse.orders = [["outer", "inner"]]}
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %step, %steps = transform.structured.tile_using_for %anchor tile_sizes [1] {diffuse.walk = ["reduction"]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
