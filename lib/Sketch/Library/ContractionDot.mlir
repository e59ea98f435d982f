// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction whose operands both have k contiguous, as weights of fully
// connected layers have: vectors run along k. Each element of a register tile
// of mr rows by nr columns is a vector of partial sums, added up at the end.
transform.named_sequence @contraction_dot__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["contraction"], elements = ["f32", "f64"],
                                  requires = ["one_type", "strided_cols", "contiguous_k"], rank = 10 : i64}} {
  %mr = transform.tune.knob<"mr"> options = {values = [1, 2, 3, 4, 6], of = "rows"} {diffuse.role = "register_tile", diffuse.dim = "rows", diffuse.level = 0 : i64} -> !transform.param<i64>
  %nr = transform.tune.knob<"nr"> options = {values = [1, 2, 3, 4, 6, 8, 12], of = "cols"} {diffuse.role = "register_tile", diffuse.dim = "cols", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @mark_init failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:3 = transform.structured.fuse %root tile_sizes [1, %mr, %nr] {
      diffuse.walk = ["batch", "rows", "cols"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"}, diffuse.orders = [["batch", "cols", "rows"], ["batch", "rows", "cols"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchors = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  transform.foreach %anchors : !transform.any_op {
  ^bb0(%anchor: !transform.any_op):
    %zero, %partial, %sum, %loop = transform.structured.tile_reduction_using_for %anchor by tile_sizes = [1] {diffuse.walk = ["k"], diffuse.scale = ["lanes"]}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  }
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %all = transform.structured.match interface{LinalgOp} in %func : (!transform.any_op) -> !transform.any_op
  transform.include @vectorize_each failures(propagate) (%all) : (!transform.any_op) -> ()
  transform.include @keep_in_registers failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @add_lanes failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
