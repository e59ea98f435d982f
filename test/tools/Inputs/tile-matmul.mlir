// A schedule for mlir-opt with a helper, a choice of loops and a bound attribute.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %m = transform.tune.knob<"m"> options = [4, 8] -> !transform.param<i64>
    %tile = transform.tune.alternatives<"loops"> -> !transform.any_op {
      %t, %l = transform.structured.tile_using_forall %matmul tile_sizes [%m, 8] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
      transform.yield %t : !transform.any_op
    }, {
      %n = transform.tune.knob<"n"> options = {divisors_of = "n", multiple_of = "lanes"} -> !transform.param<i64>
      %t, %l:2 = transform.structured.tile_using_for %matmul tile_sizes [%m, %n]
          : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %t : !transform.any_op
    }
    transform.include @step failures(propagate) (%tile) : (!transform.any_op) -> ()
    transform.yield
  }
  transform.named_sequence @step(%tile: !transform.any_op {transform.consumed}) {
    %step, %sums = transform.structured.tile_using_for %tile tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %step : !transform.any_op
    %unroll = transform.tune.knob<"unroll"> options = [2, 4] -> !transform.param<i64>
    transform.loop.unroll %sums {diffuse.bind = {factor = "unroll"}, factor = 1} : !transform.any_op
    transform.yield
  }
}
