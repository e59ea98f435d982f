// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution as a contraction of filters with patches: for a block of h rows
// of the image the patches are written out as a matrix, one row a step of the
// reduction, and then shared by fb register tiles of filters. It takes any
// stride and window, and its vectors run over several rows of a narrow image.
transform.named_sequence @convolution_im2col__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["convolution"], ops = ["linalg.conv_2d_nchw_fchw"], elements = ["f32", "f64"],
                                  requires = ["one_type", "unit_dilations"], rank = 20 : i64}} {
  %h = transform.tune.knob<"h"> options = {values = [1, 2, 4, 7, 14], of = "image0"} {diffuse.role = "cache_tile", diffuse.dim = "image0", diffuse.level = 0 : i64} -> !transform.param<i64>
  %w = transform.tune.knob<"w"> options = {values = [], of = "image1", whole = 1} {diffuse.role = "cache_tile", diffuse.dim = "image1", diffuse.level = 0 : i64} -> !transform.param<i64>
  %fb = transform.tune.knob<"fb"> options = {values = [64, 128, 256], of = "filter", whole = 1} {diffuse.role = "cache_tile", diffuse.dim = "filter", diffuse.level = 0 : i64} -> !transform.param<i64>
  %mr = transform.tune.knob<"mr"> options = {values = [1, 2, 3, 4, 6, 8, 10, 12, 14], of = "filter"} {diffuse.role = "register_tile", diffuse.dim = "filter", diffuse.level = 1 : i64} -> !transform.param<i64>
  %nr = transform.tune.knob<"nr"> options = {lanes_times = [1, 2, 4]} {diffuse.role = "register_tile", diffuse.dim = "pixel", diffuse.level = 1 : i64} -> !transform.param<i64>
  %kc = transform.tune.knob<"kc"> options = [128, 256, 512, 1024] {diffuse.role = "cache_tile", diffuse.dim = "patch", diffuse.level = 1 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @mark_init failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:4 = transform.structured.fuse %root tile_sizes [1, %fb, %h, %w] {
      diffuse.walk = ["batch", "filter", "image0", "image1"], diffuse.of = "root",
      diffuse.orders = [["batch", "image0", "image1", "filter"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()

  %anchors = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  transform.foreach %anchors : !transform.any_op {
  ^bb0(%anchor: !transform.any_op):
    %patches, %expanded = transform.structured.convert_conv2d_to_img2col %anchor : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %product = transform.get_producer_of_operand %expanded[0] : (!transform.any_op) -> !transform.any_op
    transform.annotate %product "diffuse.anchor" : !transform.any_op
  }
  %products = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %panel, %panels:4 = transform.structured.tile_using_for %products tile_sizes [1, %mr, %nr, %kc] {
      diffuse.walk = ["batch", "filter", "pixel", "patch"], diffuse.of = "im2col",
      diffuse.orders = [["batch", "patch", "filter", "pixel"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  // The pixels after the last multiple of nr go a vector at a time: a register
  // row of another width would stay in memory.
  transform.include @peel_narrow failures(propagate) (%panels#2) : (!transform.any_op) -> ()
  %narrow = transform.structured.match attributes{diffuse.narrow} in %func : (!transform.any_op) -> !transform.any_op
  %vector, %vectors:4 = transform.structured.tile_using_for %narrow tile_sizes [1, %mr, 1, %kc] {
      diffuse.side, diffuse.walk = ["batch", "filter", "pixel", "patch"], diffuse.scale = [1, 1, "lanes", 1], diffuse.of = "im2col"}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()

  %tiles = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %tile, %steps = transform.structured.tile_using_for %tiles tile_sizes [0, 0, 0, 1] {diffuse.walk = ["batch", "filter", "pixel", "patch"], diffuse.of = "im2col"}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %epilogues = transform.structured.match attributes{diffuse.epilogue} in %func : (!transform.any_op) -> !transform.any_op
  %e, %eloops:3 = transform.structured.tile_using_for %epilogues tile_sizes [1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  %inits = transform.structured.match attributes{diffuse.init} in %func : (!transform.any_op) -> !transform.any_op
  %i, %iloops:3 = transform.structured.tile_using_for %inits tile_sizes [1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  %borders = transform.structured.match attributes{diffuse.border} in %func : (!transform.any_op) -> !transform.any_op
  %b, %bloops:3 = transform.structured.tile_using_for %borders tile_sizes [1, 1, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)

  %contractions = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %contractions : !transform.any_op
  transform.include @form_contractions failures(propagate) (%func) : (!transform.any_op) -> ()
  %sides = transform.merge_handles %e, %i, %b : !transform.any_op
  transform.include @vectorize_each failures(propagate) (%sides) : (!transform.any_op) -> ()
  transform.include @keep_in_registers failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
