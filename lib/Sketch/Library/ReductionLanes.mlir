// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction over the contiguous dimension, as in softmax and normalizations:
// v vectors of partial results run along a row, then are combined.
transform.named_sequence @reduction_lanes__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["reduction"], elements = ["f32", "f64"],
                                  requires = ["one_type", "one_result", "contiguous_reduction"], rank = 10 : i64}} {
  %v = transform.tune.knob<"v"> options = {lanes_times = [1, 2, 4], of = "reduction"} {diffuse.role = "tile", diffuse.dim = "reduction", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @mark_init failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:2 = transform.structured.fuse %root tile_sizes [1, 1] {
      diffuse.walk = ["outer", "inner"], diffuse.of = "root", diffuse.orders = [["outer", "inner"]]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchors = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  transform.foreach %anchors : !transform.any_op {
  ^bb0(%anchor: !transform.any_op):
    %zero, %partial, %sum, %loop = transform.structured.tile_reduction_using_for %anchor by tile_sizes = [1] {diffuse.walk = ["reduction"], diffuse.scale = ["v"]}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  }
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @add_lanes failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
