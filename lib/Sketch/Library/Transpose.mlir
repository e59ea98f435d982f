// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes and copies: s rows by v columns at a time, where rows run along
// what the source has contiguous and columns along what the result has. Both
// sides move whole vectors, which are turned in registers. Where both have the
// same dimension contiguous, there is no "source" and it is a copy by vectors.
transform.named_sequence @transpose__tensor(%func: !transform.any_op {transform.readonly})
    attributes {diffuse.sketch = {anchors = ["movement"], ops = ["linalg.generic", "linalg.transpose", "linalg.copy", "linalg.broadcast"], rank = 10 : i64}} {
  %s = transform.tune.knob<"s"> options = {values = [1, 2, 4, 8], of = "source"} {diffuse.role = "register_tile", diffuse.dim = "source", diffuse.level = 0 : i64} -> !transform.param<i64>
  %v = transform.tune.knob<"v"> options = {values = [4, 8, 16, 32, 64], of = "inner"} {diffuse.role = "register_tile", diffuse.dim = "inner", diffuse.level = 0 : i64} -> !transform.param<i64>
  %order = transform.tune.knob<"order"> options = [0, 1] {diffuse.role = "order", diffuse.level = 0 : i64} -> !transform.param<i64>

  %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
  %block, %loops:3 = transform.structured.fuse %root tile_sizes [1, %s, %v] {
      diffuse.walk = ["outer", "source", "inner"], diffuse.of = "root",
      diffuse.bind = {interchange = "order"}, diffuse.orders = [["outer", "source", "inner"], ["outer", "inner", "source"]]}
      : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @peel_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.include @vectorize_without_unit_loops failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
