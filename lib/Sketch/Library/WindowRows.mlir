// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolution and pooling in NCHW with any stride: for each element
// of the window one loop over a row of outputs, which is left to LLVM's loop
// vectorizer, as vectors of strided reads have no form in linalg.
transform.named_sequence @window_rows__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["depthwise_convolution", "pooling"],
                                  ops = ["linalg.depthwise_conv_2d_nchw_chw", "linalg.pooling_nchw_sum", "linalg.pooling_nchw_max"],
                                  elements = ["f32", "f64"], requires = ["one_type"], rank = 20 : i64}} {
  %h = transform.tune.knob<"h"> options = {values = [1, 2, 4], of = "image0"} {diffuse.role = "cache_tile", diffuse.dim = "image0", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_borders failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:3 = transform.structured.fuse %root tile_sizes [1, 1, %h] {
      diffuse.walk = ["batch", "group", "image0"], diffuse.of = "root",
      diffuse.orders = [["batch", "group", "image0"]]}
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %generic = transform.structured.generalize %anchor : (!transform.any_op) -> !transform.any_op
  %step, %steps:3 = transform.structured.tile_using_for %generic tile_sizes [1, 1, 1] {diffuse.walk = ["image0", "window0", "window1"]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
