// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution over one dimension in NCW as it stands: a register tile of f
// filters by one vector or two along the width, and a step multiplies one
// element of each filter with them.
transform.named_sequence @convolution_row__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["convolution"], ops = ["linalg.conv_1d_ncw_fcw"], elements = ["f32", "f64"],
                                  requires = ["one_type", "unit_strides"], rank = 10 : i64}} {
  %f = transform.tune.knob<"f"> options = {values = [1, 2, 3, 4, 6, 8, 12, 16], of = "filter"} {diffuse.role = "register_tile", diffuse.dim = "filter", diffuse.level = 0 : i64} -> !transform.param<i64>
  %w = transform.tune.knob<"w"> options = {lanes_times = [1, 2], of = "image0"} {diffuse.role = "register_tile", diffuse.dim = "image0", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_borders failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:3 = transform.structured.fuse %root tile_sizes [1, %f, %w] {
      diffuse.walk = ["batch", "filter", "image0"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"},
      diffuse.orders = [["batch", "filter", "image0"], ["batch", "image0", "filter"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()

  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %generic = transform.structured.generalize %anchor : (!transform.any_op) -> !transform.any_op
  %step, %steps:2 = transform.structured.tile_using_for %generic tile_sizes [1, 1] {diffuse.walk = ["channel", "window0"]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
