// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction whose columns are contiguous in the operand that walks them.
// A register tile of mr rows by nr columns takes one outer product a step of
// k; a block of mb by nb register tiles is the unit that shares the epilogue,
// and inside it k is cut by kc so that a panel of columns stays in L1.
//
// Columns are split first: a register row must be one vector or a power of two
// of them (LLVM keeps other widths in memory), so the columns after the last
// multiple of nr are taken a vector at a time.
transform.named_sequence @contraction_tile__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["contraction"], elements = ["f32", "f64"],
                                  requires = ["one_type", "contiguous_cols"], rank = 10 : i64}} {
  %mr = transform.tune.knob<"mr"> options = {values = [1, 2, 3, 4, 6, 8, 10, 12, 14], of = "rows"} {diffuse.role = "register_tile", diffuse.dim = "rows", diffuse.level = 1 : i64} -> !transform.param<i64>
  %nr = transform.tune.knob<"nr"> options = {lanes_times = [1, 2, 4], of = "cols"} {diffuse.role = "register_tile", diffuse.dim = "cols", diffuse.level = 1 : i64} -> !transform.param<i64>
  %kc = transform.tune.knob<"kc"> options = {values = [64, 128, 256, 512], of = "k", whole = 1} {diffuse.role = "cache_tile", diffuse.dim = "k", diffuse.level = 1 : i64} -> !transform.param<i64>
  %mb = transform.tune.knob<"mb"> options = [1, 2, 4, 8, 16, 32] {diffuse.role = "cache_tile", diffuse.dim = "rows", diffuse.level = 0 : i64} -> !transform.param<i64>
  %nb = transform.tune.knob<"nb"> options = [1, 2, 4, 8] {diffuse.role = "cache_tile", diffuse.dim = "cols", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  transform.include @write_out_pads failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @mark_init failures(propagate) (%func) : (!transform.any_op) -> ()
  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %cut, %cutloop = transform.structured.fuse %root tile_sizes [%nr] {
      diffuse.side, diffuse.walk = ["cols"], diffuse.of = "root", diffuse.scale = ["multiples"]}
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
  transform.include @peel_narrow failures(propagate) (%cutloop) : (!transform.any_op) -> ()
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  %parts = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:3 = transform.structured.fuse %parts tile_sizes [1, %mr, %nr] {
      diffuse.walk = ["batch", "rows", "cols"], diffuse.scale = [1, "mb", "nb"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"}, diffuse.orders = [["batch", "cols", "rows"], ["batch", "rows", "cols"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()

  %anchor = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %panel, %panels:3 = transform.structured.tile_using_for %anchor tile_sizes [%mr, %nr, %kc] {
      diffuse.walk = ["rows", "cols", "k"], diffuse.orders = [["batch", "k", "cols", "rows"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  %narrow = transform.structured.match attributes{diffuse.anchor, diffuse.narrow} in %func : (!transform.any_op) -> !transform.any_op
  %vector, %vectors:2 = transform.structured.tile_using_for %narrow tile_sizes [%mr, 1] {
      diffuse.side, diffuse.walk = ["rows", "cols"], diffuse.scale = [1, "lanes"]}
      : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()

  %tiles = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  %tile, %steps = transform.structured.tile_using_for %tiles tile_sizes [1] {diffuse.walk = ["k"]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %epilogues = transform.structured.match attributes{diffuse.epilogue} in %func : (!transform.any_op) -> !transform.any_op
  %e, %eloops:2 = transform.structured.tile_using_for %epilogues tile_sizes [%mr, %nr] {diffuse.side, diffuse.walk = ["rows", "cols"], diffuse.of = "result"}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  %inits = transform.structured.match attributes{diffuse.init} in %func : (!transform.any_op) -> !transform.any_op
  %i, %iloops:2 = transform.structured.tile_using_for %inits tile_sizes [%mr, %nr] {diffuse.side, diffuse.walk = ["rows", "cols"], diffuse.of = "result"}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()

  %products = transform.structured.match attributes{diffuse.anchor} in %func : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %products : !transform.any_op
  transform.include @form_contractions failures(propagate) (%func) : (!transform.any_op) -> ()
  %sides = transform.structured.match interface{LinalgOp} in %func : (!transform.any_op) -> !transform.any_op
  transform.include @vectorize_each failures(propagate) (%sides) : (!transform.any_op) -> ()
  transform.include @keep_in_registers failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
