// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution in NCHW, in groups or not, as it stands: a register tile of f filters by h rows of
// one vector along the width, and a step multiplies one element of each filter
// with h vectors of the input. Several rows rather than several vectors of one
// row, because each weight then is loaded once for all of them, and because a
// register row that is no power of two of vectors stays in memory.
transform.named_sequence @convolution_direct__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["convolution"], ops = ["linalg.conv_2d_nchw_fchw", "linalg.conv_2d_ngchw_gfchw"], elements = ["f32", "f64"],
                                  requires = ["one_type", "unit_strides"], rank = 10 : i64}} {
  %f = transform.tune.knob<"f"> options = {values = [1, 2, 3, 4, 6, 8, 12, 16], of = "filter"} {diffuse.role = "register_tile", diffuse.dim = "filter", diffuse.level = 0 : i64} -> !transform.param<i64>
  %h = transform.tune.knob<"h"> options = {values = [1, 2, 3, 4, 7], of = "image0"} {diffuse.role = "register_tile", diffuse.dim = "image0", diffuse.level = 0 : i64} -> !transform.param<i64>
  %w = transform.tune.knob<"w"> options = {values = [4, 7, 8, 14, 16], of = "image1", max_lanes = 1} {diffuse.role = "register_tile", diffuse.dim = "image1", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1, 2] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_borders failures(propagate) (%func) : (!transform.any_op) -> ()

  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:5 = transform.structured.fuse %root tile_sizes [1, 1, %f, %h, %w] {
      diffuse.walk = ["batch", "group", "filter", "image0", "image1"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"},
      diffuse.orders = [["batch", "group", "filter", "image0", "image1"], ["batch", "group", "image0", "filter", "image1"], ["batch", "group", "image0", "image1", "filter"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()

  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %generic = transform.structured.generalize %anchor : (!transform.any_op) -> !transform.any_op
  %step, %steps:3 = transform.structured.tile_using_for %generic tile_sizes [1, 1, 1] {diffuse.walk = ["channel", "window0", "window1"]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  // With the window's dimensions at one element their loops disappear, and
  // what is left reads its operands by plain dimensions.
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
