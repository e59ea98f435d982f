// RUN: diffuse-opt %s --split-input-file --diffuse-outline-subgraphs --diffuse-verify-module | FileCheck %s

// A contraction takes its fill, bias and activation; two equal groups share one
// function, and a parameter is never merged with data.

// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<8x4xf32>, %[[W:[^:]*]]: tensor<4x6xf32>
// CHECK:         %[[E0:.*]] = tensor.empty() : tensor<8x6xf32>
// CHECK:         %[[R0:.*]] = call @subgraph_0_contraction(%[[A]], %[[W]], %{{.*}}, %[[E0]])
// CHECK:         %[[E1:.*]] = tensor.empty() : tensor<8x6xf32>
// CHECK:         %[[R1:.*]] = call @subgraph_0_contraction(%{{.*}}, %[[E1]])
// CHECK:         %[[R2:.*]] = call @subgraph_1_contraction(
// CHECK:         return %[[R0]], %[[R1]], %[[R2]]
// CHECK:       func.func private @subgraph_0_contraction(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8x4xf32>,
// CHECK-SAME:    %[[Y:[^:]*]]: tensor<4x6xf32> {diffuse.parameter},
// CHECK-SAME:    %[[B:[^:]*]]: tensor<6xf32>,
// CHECK-SAME:    %[[D:[^:]*]]: tensor<8x6xf32> {diffuse.destination})
// CHECK-SAME:    attributes {diffuse.calls = 2 : i64, diffuse.subgraph, no_inline}
// CHECK:         %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<8x6xf32>
// CHECK:         %[[F:.*]] = linalg.fill {diffuse.prologue} ins(%[[Z]] : f32) outs(%[[E]]
// CHECK:         %[[C:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[X]], %[[Y]]
// CHECK-SAME:      outs(%[[F]]
// CHECK-SAME:      diffuse.anchor
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[C]], %[[B]]
// CHECK-SAME:      outs(%[[D]]
// CHECK-SAME:      diffuse.epilogue, diffuse.root
// CHECK:         %[[M:.*]] = bufferization.materialize_in_destination %[[R]] in %[[D]]
// CHECK:         return %[[M]]
// CHECK:       func.func private @subgraph_1_contraction(
// CHECK-NOT:     diffuse.parameter
func.func @shared(%a: tensor<8x4xf32>, %w: tensor<4x6xf32> {diffuse.parameter}, %v: tensor<4x6xf32> {diffuse.parameter}, %d: tensor<4x6xf32>, %bias: tensor<6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<8x6xf32>, tensor<6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%x: f32, %b: f32, %o: f32):
    %s = arith.addf %x, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x6xf32>
  %2 = linalg.matmul ins(%a, %v : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%2, %bias : tensor<8x6xf32>, tensor<6xf32>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%x: f32, %b: f32, %o: f32):
    %s = arith.addf %x, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x6xf32>
  %4 = linalg.matmul ins(%a, %d : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %1, %3, %4 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
}

// -----

// An accumulator that holds data is an input: the callee copies it.

// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME:    %{{.*}}, %{{.*}}, %[[C:.*]]: tensor<8x6xf32>)
// CHECK:         %[[R:.*]] = call @subgraph_0_contraction(%{{.*}}, %{{.*}}, %[[C]], %{{.*}})
// CHECK:         return %[[R]], %[[C]]
// CHECK:       func.func private @subgraph_0_contraction(
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%arg2
// CHECK-SAME:      outs(%arg3
// CHECK-SAME:      diffuse.prologue
func.func @accumulate(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0, %c : tensor<8x6xf32>, tensor<8x6xf32>
}

// -----

// A value with a reader outside ends the group.

// CHECK-LABEL: func.func @two_readers(
// CHECK:         %[[R0:.*]] = call @subgraph_0_contraction(
// CHECK:         %[[R1:.*]] = call @subgraph_1_elementwise(%[[R0]],
// CHECK:         return %[[R0]], %[[R1]]
func.func @two_readers(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  %e = tensor.empty() : tensor<8x6xf32>
  %1 = linalg.exp ins(%0 : tensor<8x6xf32>) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0, %1 : tensor<8x6xf32>, tensor<8x6xf32>
}

// -----

// Calls inside loops count by trip count. Extents that are not known are passed
// with the destination.

// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for
// CHECK:           %[[D:.*]] = tensor.dim
// CHECK:           %[[E:.*]] = tensor.empty(%[[D]]) : tensor<?xf32>
// CHECK:           func.call @subgraph_0_elementwise(%{{.*}}, %[[E]])
// CHECK:       func.func private @subgraph_0_elementwise(
// CHECK-SAME:    diffuse.calls = 12 : i64
func.func @loop(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %r = scf.for %i = %c0 to %c12 step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %0 = linalg.exp ins(%t : tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// What a body captures is passed: tensors, scalars; scalar constants are copied.

// CHECK-LABEL: func.func @captured(
// CHECK-SAME:    %[[SRC:.*]]: tensor<8x10xf32>, %[[I:.*]]: index)
// CHECK:         call @subgraph_0_elementwise(%[[SRC]], %[[I]], %{{.*}})
// CHECK:       func.func private @subgraph_0_elementwise(%{{.*}}: tensor<8x10xf32>, %{{.*}}: index, %{{.*}}: tensor<8xf32> {diffuse.destination})
// CHECK:         arith.constant 2.000000e+00 : f32
func.func @captured(%src: tensor<8x10xf32>, %column: index) -> tensor<8xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %src[%i, %column] : tensor<8x10xf32>
    %m = arith.mulf %v, %two : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// One tensor that is read, and that a sum starts from, is passed and repeated.

// CHECK-LABEL: func.func @same_fill(
// CHECK:         %[[F:.*]] = call @subgraph_0_fill(
// CHECK:         call @subgraph_1_depthwise_conv_2d_nchw_chw(%[[F]], %arg0, %{{.*}})
// CHECK:       func.func private @subgraph_1_depthwise_conv_2d_nchw_chw(
// CHECK:         %[[I:.*]] = linalg.fill {diffuse.prologue}
// CHECK:         linalg.depthwise_conv_2d_nchw_chw
// CHECK-SAME:      ins(%arg0, %arg1 {{.*}} outs(%[[I]]
func.func @same_fill(%w: tensor<4x1x1xf32>) -> tensor<1x4x5x5xf32> {
  %z = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x4x5x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%f, %w : tensor<1x4x5x5xf32>, tensor<4x1x1xf32>) outs(%f : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %1 = linalg.mul ins(%0, %f : tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) outs(%e : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  return %1 : tensor<1x4x5x5xf32>
}

// -----

// A table in a body is a parameter.

// CHECK-LABEL: func.func @table(
// CHECK:         %[[T:.*]] = arith.constant dense<[1.0
// CHECK:         call @subgraph_0_elementwise(%arg0, %[[T]], %{{.*}})
// CHECK:       func.func private @subgraph_0_elementwise(%{{.*}}: tensor<8xindex>, %{{.*}}: tensor<2xf32> {diffuse.parameter},
func.func @table(%x: tensor<8xindex>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xindex>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: index, %o: f32):
    %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %v = tensor.extract %t[%i] : tensor<2xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Parts of a concatenation that lie one after the other are written where they
// go; what the caller gives memory for is not.

// CHECK-LABEL: func.func @concatenations(
// CHECK:         %[[A:.*]] = call @subgraph_0_{{.*}}(%arg0, %{{.*}})
// CHECK:         %[[B:.*]] = call @subgraph_1_{{.*}}(%arg0, %{{.*}})
// CHECK:         %[[C:.*]] = tensor.concat dim(1) %[[A]], %[[B]]
// CHECK:         %[[D:.*]] = tensor.concat dim(1) %[[C]], %[[A]]
// CHECK:         call @subgraph_2_{{.*}}(%[[D]], %{{.*}})
// CHECK:         %[[INNER:.*]] = call @subgraph_3_concat(%[[A]], %[[B]], %{{.*}})
// CHECK:         call @subgraph_4_{{.*}}(%[[INNER]], %{{.*}})
// CHECK:         call @subgraph_5_concat(%[[B]], %[[A]], %{{.*}})
func.func @concatenations(%x: tensor<1x4x8xf32>) -> (tensor<1x12xf32>, tensor<1x4xf32>, tensor<1x8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x8xf32>
  %a = linalg.exp ins(%x : tensor<1x4x8xf32>) outs(%e : tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %b = linalg.tanh ins(%x : tensor<1x4x8xf32>) outs(%e : tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  %d = tensor.concat dim(1) %c, %a : (tensor<1x8x8xf32>, tensor<1x4x8xf32>) -> tensor<1x12x8xf32>
  %e1 = tensor.empty() : tensor<1x12xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x12xf32>) -> tensor<1x12xf32>
  %sum = linalg.reduce ins(%d : tensor<1x12x8xf32>) outs(%f1 : tensor<1x12xf32>) dimensions = [2]
    (%p: f32, %q: f32) { %s = arith.addf %p, %q : f32 linalg.yield %s : f32 }
  %i = tensor.concat dim(2) %a, %b : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x16xf32>
  %e2 = tensor.empty() : tensor<1x4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x4xf32>) -> tensor<1x4xf32>
  %sum2 = linalg.reduce ins(%i : tensor<1x4x16xf32>) outs(%f2 : tensor<1x4xf32>) dimensions = [2]
    (%p: f32, %q: f32) { %s = arith.addf %p, %q : f32 linalg.yield %s : f32 }
  %r = tensor.concat dim(1) %b, %a : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  return %sum, %sum2, %r : tensor<1x12xf32>, tensor<1x4xf32>, tensor<1x8x8xf32>
}

// -----

// A pad that one op reads goes with it; what moves data alone is a subgraph too.
// A value used twice is passed once.

// CHECK-LABEL: func.func @movement(
// CHECK:         %[[R:.*]] = call @subgraph_0_pooling_nchw_max(%arg0, %{{.*}})
// CHECK:         call @subgraph_1_concat(%[[R]], %{{[0-9]+}})
// CHECK:       func.func private @subgraph_0_pooling_nchw_max(
// CHECK:         tensor.pad
// CHECK:         {diffuse.prologue}
// CHECK:         tensor.empty() : tensor<3x3xf32>
// CHECK:         linalg.pooling_nchw_max {diffuse.anchor, diffuse.root
func.func @movement(%x: tensor<1x4x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %w : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %c = tensor.concat dim(1) %r, %r : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %c : tensor<1x8x8x8xf32>
}

// -----

// Names of the user's are kept.

// CHECK-LABEL: func.func @names(
// CHECK:         call @subgraph_0_elementwise_0(
// CHECK:       func.func private @subgraph_0_elementwise(tensor<4xf32>)
func.func @names(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @subgraph_0_elementwise(tensor<4xf32>)

// -----

// Constants of one value but another type or op stay apart, and counts of runs
// end at the largest number.

// CHECK-LABEL: func.func @constants(
// CHECK:       func.func private @subgraph_0_elementwise(
// CHECK-SAME:    diffuse.calls = 9223372036854775807 : i64
// CHECK-DAG:     ub.poison : f32
// CHECK-DAG:     ub.poison : i1
// CHECK:         diffuse.root
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = scf.forall (%i, %j) = (-9223372036854775807, 0) to (9223372036854775807, 2) step (1, 1) shared_outs(%o = %e) -> (tensor<4xf32>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = ub.poison : f32
      %c = ub.poison : i1
      %s = arith.select %c, %a, %p : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return %0 : tensor<4xf32>
}

// -----

// One fill starts both results: each gets a fill of its own.

// CHECK-LABEL: func.func @shared_init(
// CHECK:       func.func private @subgraph_0_reduction(
// CHECK:         linalg.fill
// CHECK:         linalg.fill
// CHECK:         linalg.generic
#row = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0)>
func.func @shared_init(%x: tensor<65x129xf32>) -> (tensor<65xf32>, tensor<65xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<65xf32>) -> tensor<65xf32>
  %r:2 = linalg.generic {indexing_maps = [#row, #sum, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<65x129xf32>) outs(%f, %f : tensor<65xf32>, tensor<65xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32):
    %t = arith.addf %a, %s : f32
    %m = arith.mulf %a, %a : f32
    %u = arith.addf %m, %q : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<65xf32>, tensor<65xf32>)
  return %r#0, %r#1 : tensor<65xf32>, tensor<65xf32>
}
