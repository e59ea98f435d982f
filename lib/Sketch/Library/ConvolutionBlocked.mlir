// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution whose filters come in blocks, the last dimension of weights and
// result: vectors run along nf filters of a block, and a register tile holds
// them for h rows of w columns. A step multiplies one element of the input for
// each of the h x w pixels with the nf weights of one element of the window, so
// the layout of the input does not matter to its vectors.
transform.named_sequence @convolution_blocked__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["convolution"], ops = ["linalg.generic"], elements = ["f32", "f64"],
                                  requires = ["one_type", "unit_strides", "contiguous_filters"], whole_rows = "nf", rank = 10 : i64}} {
  %h = transform.tune.knob<"h"> options = {values = [1, 2, 3, 4, 7], of = "image0"} {diffuse.role = "register_tile", diffuse.dim = "image0", diffuse.level = 0 : i64} -> !transform.param<i64>
  %w = transform.tune.knob<"w"> options = {values = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14], of = "image1"} {diffuse.role = "register_tile", diffuse.dim = "image1", diffuse.level = 0 : i64} -> !transform.param<i64>
  %nf = transform.tune.knob<"nf"> options = {lanes_times = [1, 2], of = "filter"} {diffuse.role = "register_tile", diffuse.dim = "filter", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1, 2] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_border_pixels failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:4 = transform.structured.fuse %root tile_sizes [1, %nf, %h, %w] {
      diffuse.walk = ["batch", "filter", "image0", "image1"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"},
      diffuse.orders = [["batch", "filter", "image0", "image1"], ["batch", "image0", "filter", "image1"], ["batch", "image0", "image1", "filter"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %step, %steps:3 = transform.structured.tile_using_for %anchor tile_sizes [1, 1, 1] {
      diffuse.walk = ["channel", "window0", "window1"], diffuse.orders = [["channel", "window0", "window1", "channel"]]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
