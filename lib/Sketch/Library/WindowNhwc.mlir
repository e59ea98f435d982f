// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolution and pooling in NHWC, any stride: vectors run along the
// channels, and nc channels of w columns stay in registers while the window
// passes over them.
transform.named_sequence @window_nhwc__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["depthwise_convolution", "pooling"],
                                  ops = ["linalg.depthwise_conv_2d_nhwc_hwc", "linalg.pooling_nhwc_sum", "linalg.pooling_nhwc_max", "linalg.pooling_nhwc_min"],
                                  elements = ["f32", "f64"], requires = ["one_type"], whole_rows = "nc", rank = 10 : i64}} {
  %w = transform.tune.knob<"w"> options = {values = [1, 2, 4, 7, 8], of = "image1"} {diffuse.role = "register_tile", diffuse.dim = "image1", diffuse.level = 0 : i64} -> !transform.param<i64>
  %nc = transform.tune.knob<"nc"> options = {lanes_times = [1, 2, 4], of = "group"} {diffuse.role = "register_tile", diffuse.dim = "group", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_borders failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:4 = transform.structured.fuse %root tile_sizes [1, 1, %w, %nc] {
      diffuse.walk = ["batch", "image0", "image1", "group"], diffuse.of = "root",
      diffuse.orders = [["batch", "image0", "image1", "group"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %step, %steps:2 = transform.structured.tile_using_for %anchor tile_sizes [1, 1] {
      diffuse.walk = ["window0", "window1"], diffuse.orders = [["window0", "window1"]]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  %row = transform.structured.decompose %step : (!transform.any_op) -> !transform.any_op
  %all = transform.structured.match interface{LinalgOp} in %func : (!transform.any_op) -> !transform.any_op
  transform.include @vectorize_each failures(propagate) (%all) : (!transform.any_op) -> ()
  transform.include @keep_in_registers failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
