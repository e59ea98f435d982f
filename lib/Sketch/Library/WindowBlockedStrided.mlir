// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WindowBlocked for strides other than 1: the w pixels of a row are a loop that
// is unrolled, around one vector op each.
transform.named_sequence @window_blocked_strided__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["depthwise_convolution", "pooling"], ops = ["linalg.generic"], elements = ["f32", "f64"],
                                  requires = ["one_type", "strided", "contiguous_groups"], whole_rows = "nc", rank = 10 : i64}} {
  %w = transform.tune.knob<"w"> options = {divisors_of = "image1", max = 14} {diffuse.role = "register_tile", diffuse.dim = "image1", diffuse.level = 0 : i64} -> !transform.param<i64>
  %nc = transform.tune.knob<"nc"> options = {lanes_times = [1, 2], of = "group"} {diffuse.role = "register_tile", diffuse.dim = "group", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_border_pixels failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:4 = transform.structured.fuse %root tile_sizes [1, %nc, 1, %w] {
      diffuse.walk = ["batch", "group", "image0", "image1"], diffuse.of = "root",
      diffuse.orders = [["batch", "group", "image0", "image1"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %step, %steps:2 = transform.structured.tile_using_for %anchor tile_sizes [1, 1] {diffuse.walk = ["window0", "window1"]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  %pixel, %pixels = transform.structured.tile_using_for %step tile_sizes [1] {diffuse.side, diffuse.walk = ["image1"]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.loop.unroll %pixels {factor = 1 : i64, diffuse.bind = {factor = "w"}} : !transform.any_op
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
