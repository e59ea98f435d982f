// More than 10^12 points: 13 choices of 10 values.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%f: !transform.any_op {transform.readonly}) {
    %k0 = transform.tune.knob<"k0"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k1 = transform.tune.knob<"k1"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k2 = transform.tune.knob<"k2"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k3 = transform.tune.knob<"k3"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k4 = transform.tune.knob<"k4"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k5 = transform.tune.knob<"k5"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k6 = transform.tune.knob<"k6"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k7 = transform.tune.knob<"k7"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k8 = transform.tune.knob<"k8"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k9 = transform.tune.knob<"k9"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k10 = transform.tune.knob<"k10"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k11 = transform.tune.knob<"k11"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    %k12 = transform.tune.knob<"k12"> options = {start = 1, stop = 10, step = 1} -> !transform.param<i64>
    transform.yield
  }
}
