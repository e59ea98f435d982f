// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution in NHWC with filters in HWCF: vectors run along the filters,
// which are contiguous in weights and result, and a register tile holds nf
// filters for each of w columns of one row. A step takes one channel of one
// element of the window.
transform.named_sequence @convolution_nhwc__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["convolution"], ops = ["linalg.conv_2d_nhwc_hwcf"], elements = ["f32", "f64"],
                                  requires = ["one_type"], whole_rows = "nf", rank = 10 : i64}} {
  %w = transform.tune.knob<"w"> options = {values = [1, 2, 4, 6, 7, 8, 12, 14], of = "image1"} {diffuse.role = "register_tile", diffuse.dim = "image1", diffuse.level = 0 : i64} -> !transform.param<i64>
  %nf = transform.tune.knob<"nf"> options = {lanes_times = [1, 2, 4], of = "filter"} {diffuse.role = "register_tile", diffuse.dim = "filter", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1, 2] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_borders failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:4 = transform.structured.fuse %root tile_sizes [1, 1, %w, %nf] {
      diffuse.walk = ["batch", "image0", "image1", "filter"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"},
      diffuse.orders = [["batch", "filter", "image0", "image1"], ["batch", "image0", "filter", "image1"], ["batch", "image0", "image1", "filter"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %step, %steps:3 = transform.structured.tile_using_for %anchor tile_sizes [1, 1, 1] {
      diffuse.walk = ["window0", "window1", "channel"], diffuse.orders = [["window0", "window1", "channel"]]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  %row = transform.structured.decompose %step : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %row {create_named_contraction} : !transform.any_op
  %sides = transform.structured.match interface{LinalgOp} in %func : (!transform.any_op) -> !transform.any_op
  transform.include @vectorize_each failures(propagate) (%sides) : (!transform.any_op) -> ()
  transform.include @keep_in_registers failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
