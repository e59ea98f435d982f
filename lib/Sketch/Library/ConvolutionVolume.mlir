// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution over three dimensions in NCDHW as it stands: what
// convolution_direct is over two, a slice of the volume at a time.
transform.named_sequence @convolution_volume__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["convolution"], ops = ["linalg.conv_3d_ncdhw_fcdhw"], elements = ["f32", "f64"],
                                  requires = ["one_type", "unit_strides"], rank = 10 : i64}} {
  %f = transform.tune.knob<"f"> options = {values = [1, 2, 3, 4, 6, 8, 12, 16], of = "filter"} {diffuse.role = "register_tile", diffuse.dim = "filter", diffuse.level = 0 : i64} -> !transform.param<i64>
  %h = transform.tune.knob<"h"> options = {values = [1, 2, 3, 4, 7], of = "image1"} {diffuse.role = "register_tile", diffuse.dim = "image1", diffuse.level = 0 : i64} -> !transform.param<i64>
  %w = transform.tune.knob<"w"> options = {values = [4, 7, 8, 14, 16], of = "image2", max_lanes = 1} {diffuse.role = "register_tile", diffuse.dim = "image2", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_borders failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:5 = transform.structured.fuse %root tile_sizes [1, %f, 1, %h, %w] {
      diffuse.walk = ["batch", "filter", "image0", "image1", "image2"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"},
      diffuse.orders = [["batch", "filter", "image0", "image1", "image2"], ["batch", "image0", "filter", "image1", "image2"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()

  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %generic = transform.structured.generalize %anchor : (!transform.any_op) -> !transform.any_op
  %step, %steps:4 = transform.structured.tile_using_for %generic tile_sizes [1, 1, 1, 1] {diffuse.walk = ["channel", "window0", "window1", "window2"]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
