// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolution and pooling with channels in blocks: vectors run along
// nc channels of a block, and h rows of w columns of them stay in registers
// while the window passes over them.
transform.named_sequence @window_blocked__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["depthwise_convolution", "pooling"], ops = ["linalg.generic"], elements = ["f32", "f64"],
                                  requires = ["one_type", "unit_strides", "contiguous_groups"], whole_rows = "nc", rank = 10 : i64}} {
  %h = transform.tune.knob<"h"> options = {values = [1, 2, 3, 4, 7], of = "image0"} {diffuse.role = "register_tile", diffuse.dim = "image0", diffuse.level = 0 : i64} -> !transform.param<i64>
  %w = transform.tune.knob<"w"> options = {values = [1, 2, 3, 4, 5, 6, 7, 8, 14], of = "image1"} {diffuse.role = "register_tile", diffuse.dim = "image1", diffuse.level = 0 : i64} -> !transform.param<i64>
  %nc = transform.tune.knob<"nc"> options = {lanes_times = [1, 2], of = "group"} {diffuse.role = "register_tile", diffuse.dim = "group", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_border_pixels failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:4 = transform.structured.fuse %root tile_sizes [1, %nc, %h, %w] {
      diffuse.walk = ["batch", "group", "image0", "image1"], diffuse.of = "root",
      diffuse.orders = [["batch", "group", "image0", "image1"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %step, %steps:2 = transform.structured.tile_using_for %anchor tile_sizes [1, 1] {diffuse.walk = ["window0", "window1"]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
