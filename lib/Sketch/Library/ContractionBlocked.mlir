// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction whose columns or sum come in blocks, with the columns of a block
// the last dimension of the operand that walks them and of the result: what a
// pointwise convolution is in blocks of channels. A register tile of mr rows by nr columns of one block stays in
// registers over the whole sum, as the block's panel is read in order.
transform.named_sequence @contraction_blocked__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["contraction"], elements = ["f32", "f64"],
                                  requires = ["one_type", "contiguous_cols", "blocks"], whole_rows = "nr", rank = 10 : i64}} {
  %mr = transform.tune.knob<"mr"> options = {values = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14], of = "rows"} {diffuse.role = "register_tile", diffuse.dim = "rows", diffuse.level = 0 : i64} -> !transform.param<i64>
  %nr = transform.tune.knob<"nr"> options = {lanes_times = [1, 2], of = "cols"} {diffuse.role = "register_tile", diffuse.dim = "cols", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:3 = transform.structured.fuse %root tile_sizes [1, %mr, %nr] {
      diffuse.walk = ["batch", "rows", "cols"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"}, diffuse.orders = [["batch", "cols", "rows"], ["batch", "rows", "cols"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %step, %steps = transform.structured.tile_using_for %anchor tile_sizes [1] {diffuse.walk = ["k"]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
