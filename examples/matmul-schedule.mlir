// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A schedule with open choices, as one would write it for mlir-opt: tile a
// matmul, vectorize the tile or leave it to loops. Nothing in it is Diffuse's.
//
//   diffuse-tune matmul-relu.mlir --sketches=matmul-schedule.mlir -o tuned.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %m = transform.tune.knob<"tile_m"> options = [2, 4, 8] -> !transform.param<i64>
    %n = transform.tune.knob<"tile_n"> options = {lb = 16, step = 16, ub = 48} -> !transform.param<i64>
    %tile, %rows, %cols = transform.structured.tile_using_for %matmul tile_sizes [%m, %n]
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.tune.alternatives<"body"> {
      %k = transform.tune.knob<"tile_k"> options = [1, 2] -> !transform.param<i64>
      %step, %sums = transform.structured.tile_using_for %tile tile_sizes [0, 0, %k]
          : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
      transform.structured.vectorize %step : !transform.any_op
      transform.yield
    }, {
      transform.yield
    }
    transform.yield
  }
}
