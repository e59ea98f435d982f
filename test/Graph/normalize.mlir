// RUN: diffuse-opt %s --split-input-file --diffuse-outline-subgraphs --diffuse-verify-module -o %t.1
// RUN: FileCheck %s < %t.1
// RUN: diffuse-opt %t.1 --split-input-file --diffuse-outline-subgraphs | diff - %t.1

// Loops of a contraction come in the order batch, m, n, k, and a transpose of an
// operand is read through.

// CHECK: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @transposed(
// CHECK:       func.func private @subgraph_0_contraction(
// CHECK:         linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%arg0, %arg1 : tensor<8x4xf32>, tensor<6x4xf32>)
func.func @transposed(%a: tensor<8x4xf32>, %b: tensor<6x4xf32>, %c: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %t = linalg.transpose ins(%b : tensor<6x4xf32>) outs(%e : tensor<4x6xf32>) permutation = [1, 0]
  %0 = linalg.matmul ins(%a, %t : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

// A transpose of the result is written through, when it keeps the innermost
// dimension.

// CHECK-LABEL: func.func @written_transposed(
// CHECK:         call @subgraph_0_contraction(%arg0, %arg1, %{{.*}}) : (tensor<2x8x4xf32>, tensor<2x4x6xf32>, tensor<8x2x6xf32>) -> tensor<8x2x6xf32>
// CHECK-NEXT:    return
func.func @written_transposed(%a: tensor<2x8x4xf32>, %b: tensor<2x4x6xf32>) -> tensor<8x2x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x8x6xf32>) -> tensor<2x8x6xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x8x4xf32>, tensor<2x4x6xf32>) outs(%f : tensor<2x8x6xf32>) -> tensor<2x8x6xf32>
  %g = tensor.empty() : tensor<8x2x6xf32>
  %t = linalg.transpose ins(%0 : tensor<2x8x6xf32>) outs(%g : tensor<8x2x6xf32>) permutation = [1, 0, 2]
  return %t : tensor<8x2x6xf32>
}

// -----

// The innermost dimension of the result belongs to n: a matrix times a vector is
// the vector times the matrix.

// CHECK: affine_map<(d0, d1) -> (d1)>
// CHECK: affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @matvec(
// CHECK:         diffuse.prologue
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%arg0, %arg1 : tensor<4xf32>, tensor<8x4xf32>)
func.func @matvec(%a: tensor<8x4xf32>, %x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.matvec ins(%a, %x : tensor<8x4xf32>, tensor<4xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A batch of 1 goes away, with a broadcast weight and the bias behind it.

// CHECK-LABEL: func.func @batch_of_one(
// CHECK:         %[[X:.*]] = tensor.collapse_shape %arg0
// CHECK-SAME:      tensor<1x8x4xf32> into tensor<8x4xf32>
// CHECK:         %[[R:.*]] = call @subgraph_0_contraction(%[[X]], %arg1, %arg2, %{{.*}})
// CHECK:         %[[Y:.*]] = tensor.expand_shape %[[R]]
// CHECK:         return %[[Y]] : tensor<1x8x6xf32>
// CHECK-NOT:   subgraph_1
func.func @batch_of_one(%a: tensor<1x8x4xf32>, %w: tensor<4x6xf32>, %bias: tensor<6xf32>) -> tensor<1x8x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x6xf32>) -> tensor<1x8x6xf32>
  %g = tensor.empty() : tensor<1x4x6xf32>
  %b = linalg.broadcast ins(%w : tensor<4x6xf32>) outs(%g : tensor<1x4x6xf32>) dimensions = [0]
  %0 = linalg.batch_matmul ins(%a, %b : tensor<1x8x4xf32>, tensor<1x4x6xf32>) outs(%f : tensor<1x8x6xf32>) -> tensor<1x8x6xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0, %bias : tensor<1x8x6xf32>, tensor<6xf32>) outs(%e : tensor<1x8x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<1x8x6xf32>
  return %1 : tensor<1x8x6xf32>
}

// -----

// A pointwise convolution is a contraction over pixels; its bias stays an init,
// its activation an epilogue, and the residual is reshaped for free.

// CHECK-LABEL: func.func @pointwise(
// CHECK-DAG:     tensor.collapse_shape %arg1 {{.*}} : tensor<6x4x1x1xf32> into tensor<6x4xf32>
// CHECK-DAG:     tensor.collapse_shape %arg0 {{.*}} : tensor<1x4x5x5xf32> into tensor<4x25xf32>
// CHECK-DAG:     tensor.collapse_shape %arg3 {{.*}} : tensor<1x6x5x5xf32> into tensor<6x25xf32>
// CHECK:         call @subgraph_0_contraction(
// CHECK-NOT:     call
// CHECK:       func.func private @subgraph_0_contraction(
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}} : tensor<6xf32>) outs(%{{.*}} : tensor<6x25xf32>) attrs = {diffuse.prologue}
// CHECK:         diffuse.anchor
// CHECK:         diffuse.epilogue, diffuse.root
func.func @pointwise(%x: tensor<1x4x5x5xf32>, %f: tensor<6x4x1x1xf32>, %bias: tensor<6xf32>, %r: tensor<1x6x5x5xf32>) -> tensor<1x6x5x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x5x5xf32>
  %b = linalg.broadcast ins(%bias : tensor<6xf32>) outs(%e : tensor<1x6x5x5xf32>) dimensions = [0, 2, 3]
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %f : tensor<1x4x5x5xf32>, tensor<6x4x1x1xf32>) outs(%b : tensor<1x6x5x5xf32>) -> tensor<1x6x5x5xf32>
  %1 = linalg.add ins(%0, %r : tensor<1x6x5x5xf32>, tensor<1x6x5x5xf32>) outs(%e : tensor<1x6x5x5xf32>) -> tensor<1x6x5x5xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x6x5x5xf32>) outs(%e : tensor<1x6x5x5xf32>) {
  ^bb0(%in: f32, %o: f32):
    %c = arith.cmpf ugt, %in, %z : f32
    %s = arith.select %c, %in, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x6x5x5xf32>
  return %2 : tensor<1x6x5x5xf32>
}

// -----

// An op that reads its init reads an input instead, and is fused.

// CHECK-LABEL: func.func @in_place(
// CHECK:         call @subgraph_0_contraction(
// CHECK-NOT:     call
// CHECK:         return
func.func @in_place(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<8x6xf32>) {
  ^bb0(%o: f32):
    %s = math.exp %o : f32
    linalg.yield %s : f32
  } -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// -----

// But not where the op leaves elements as they are: the diagonal only.

// CHECK-LABEL: func.func @diagonal(
// CHECK:       func.func private @subgraph_0_elementwise(
// CHECK:         %[[I:.*]] = linalg.generic
// CHECK-SAME:      ins(%arg1 : tensor<4x4xf32>) outs(%arg2
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%arg0 : tensor<4xf32>) outs(%[[I]]
func.func @diagonal(%x: tensor<4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// The index that nobody reads is dropped from a maximum.

// CHECK-LABEL: func.func @dead_result(
// CHECK:         call @subgraph_0_reduction(%arg0, %{{.*}}) : (tensor<2x7xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func @dead_result(%x: tensor<2x7xf32>) -> tensor<2xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<2xf32>
  %e1 = tensor.empty() : tensor<2xi64>
  %i0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %i1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<2xi64>) -> tensor<2xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x7xf32>) outs(%i0, %i1 : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%in: f32, %v: f32, %k: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %m = arith.maximumf %in, %v : f32
    %g = arith.cmpf ogt, %in, %v : f32
    %s = arith.select %g, %n, %k : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  return %r#0 : tensor<2xf32>
}

// -----

// Elementwise chains and what feeds a reduction become one op each; a softmax is
// four subgraphs, TOSA and ops on tensors are linalg first.

// CHECK-LABEL: func.func @chain(
// CHECK:         call @subgraph_0_elementwise(
// CHECK-NEXT:    return
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = arith.addf %x, %y : tensor<4x8xf32>
  %1 = math.tanh %0 : tensor<4x8xf32>
  %2 = tosa.add %1, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @softmax(
// CHECK:         call @subgraph_0_reduction(
// CHECK:         call @subgraph_1_elementwise(
// CHECK:         call @subgraph_2_reduction(
// CHECK:         call @subgraph_3_elementwise(
// CHECK-NEXT:    return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// What is dequantized for one contraction goes with it.

// CHECK-LABEL: func.func @dequantize(
// CHECK:         call @subgraph_0_contraction(
// CHECK-NEXT:    return
// CHECK:       func.func private @subgraph_0_contraction(
// CHECK:         arith.sitofp
// CHECK:         diffuse.anchor, diffuse.root
func.func @dequantize(%x: tensor<8x4xf32>, %w: tensor<4x6xi8>, %scale: tensor<6xf32>) -> tensor<8x6xf32> {
  %z = arith.constant 0.0 : f32
  %g = tensor.empty() : tensor<4x6xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w, %scale : tensor<4x6xi8>, tensor<6xf32>) outs(%g : tensor<4x6xf32>) {
  ^bb0(%in: i8, %s: f32, %o: f32):
    %c = arith.sitofp %in : i8 to f32
    %m = arith.mulf %c, %s : f32
    linalg.yield %m : f32
  } -> tensor<4x6xf32>
  %e = tensor.empty() : tensor<8x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %0 = linalg.matmul ins(%x, %d : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

// The centred values of a normalization are computed twice, not stored.

// CHECK-LABEL: func.func @centred(
// CHECK:         %[[V:.*]] = call @subgraph_0_reduction(%arg0, %arg1, %{{.*}}) : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK:         call @subgraph_1_elementwise(%arg0, %arg1, %[[V]], %{{.*}})
// CHECK-NEXT:    return
func.func @centred(%x: tensor<4x8xf32>, %mean: tensor<4xf32>) -> tensor<4x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %mean : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%z : f32) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%0, %0 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = math.rsqrt %q : f32
    %s = arith.mulf %p, %r : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// A loop of a reduction indexes no result, also where both have extent 1.

// CHECK-LABEL: func.func @keeps_unit_dims(
// CHECK:         call @subgraph_0_reduction(
// CHECK:       func.func private @subgraph_0_reduction(
// CHECK-SAME:    tensor<2x8xf32> {diffuse.destination}
// CHECK:         iterator_types = ["parallel", "parallel", "reduction", "reduction"]
func.func @keeps_unit_dims(%x: tensor<2x8x1x7xf32>) -> tensor<2x8x1x1xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<2x8x1x7xf32>) outs(%f : tensor<2x8x1x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<2x8x1x1xf32>
  return %0 : tensor<2x8x1x1xf32>
}

// -----

// Windows need not reach the end of the image; loops over a contraction's input
// do. Unknown extents may be such.

// CHECK-LABEL: func.func @part_of_image(
// CHECK:         call @subgraph_0_conv_2d_nchw_fchw(
// CHECK:         call @subgraph_1_conv_2d_nchw_fchw(
func.func @part_of_image(%x: tensor<1x8x10x10xf32>, %y: tensor<1x8x?x?xf32>, %w: tensor<16x8x1x1xf32>, %o: tensor<1x16x8x8xf32>, %p: tensor<1x16x?x?xf32>) -> (tensor<1x16x8x8xf32>, tensor<1x16x?x?xf32>) {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x10x10xf32>, tensor<16x8x1x1xf32>) outs(%o : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %1 = linalg.conv_2d_nchw_fchw ins(%y, %w : tensor<1x8x?x?xf32>, tensor<16x8x1x1xf32>) outs(%p : tensor<1x16x?x?xf32>) -> tensor<1x16x?x?xf32>
  return %0, %1 : tensor<1x16x8x8xf32>, tensor<1x16x?x?xf32>
}

// -----

// Collapsing undoes any expansion. Expanding undoes a collapse only where the
// extents follow from the product.

// CHECK-LABEL: func.func @reshapes(
// CHECK-NOT:     tensor.expand_shape %{{.*}} output_shape [%{{.*}}, 4]
// CHECK:         %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [%arg2, %arg3]
// CHECK-NOT:     tensor.expand_shape
// CHECK:         return %arg1, %[[E]], %arg4
func.func @reshapes(%x: tensor<?x?xf32>, %y: tensor<?x4xf32>, %a: index, %b: index, %v: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %0 = tensor.collapse_shape %y [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [%a, 4] : tensor<?xf32> into tensor<?x4xf32>
  %2 = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [%a, %b] : tensor<?xf32> into tensor<?x?xf32>
  %4 = tensor.expand_shape %v [[0, 1]] output_shape [%a, %b] : tensor<?xf32> into tensor<?x?xf32>
  %5 = tensor.collapse_shape %4 [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %1, %3, %5 : tensor<?x4xf32>, tensor<?x?xf32>, tensor<?xf32>
}

// -----

// Sums keep the order of their steps: d2 outside of d3, whatever the operands
// are walked by.

// CHECK-DAG:   #[[LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG:   #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-LABEL: func.func @sums(
// CHECK:       func.func private @subgraph_0_contraction(
// CHECK:         linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #{{.*}}]
// CHECK:       func.func private @subgraph_2_reduction(
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]], #{{.*}}]
func.func @sums(%x: tensor<4x5x6xf32>, %y: tensor<5x6x8xf32>, %o: tensor<4x8xf32>, %u: tensor<4x30xf32>, %p: tensor<4xf32>, %g: tensor<4x30xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4x30xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %y : tensor<4x5x6xf32>, tensor<5x6x8xf32>) outs(%o : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %1 = linalg.exp ins(%u : tensor<4x30xf32>) outs(%g : tensor<4x30xf32>) -> tensor<4x30xf32>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [4, 5, 6] : tensor<4x30xf32> into tensor<4x5x6xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%2 : tensor<4x5x6xf32>) outs(%p : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %0, %3, %1 : tensor<4x8xf32>, tensor<4xf32>, tensor<4x30xf32>
}

// -----

// The image of a quantized convolution stands behind its zero point: a window of
// one element goes, and the rest is done once.

// CHECK-LABEL: func.func @zero_point_first(
// CHECK:         call @subgraph_0_contraction(%arg0, {{.*}} : (f32, tensor<8x8xf32>, tensor<8x16xf32>,
func.func @zero_point_first(%zp: f32, %x: tensor<1x8x4x4xf32>, %w: tensor<8x8x1x1xf32>, %i: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, kh, kw) -> ()>, affine_map<(n, f, h, w, c, kh, kw) -> (n, c, h + kh, w + kw)>,
                                        affine_map<(n, f, h, w, c, kh, kw) -> (f, c, kh, kw)>, affine_map<(n, f, h, w, c, kh, kw) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%zp, %x, %w : f32, tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) outs(%i : tensor<1x8x4x4xf32>) {
  ^bb0(%z: f32, %a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %z : f32
    %m = arith.mulf %d, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<1x8x4x4xf32>
  return %r : tensor<1x8x4x4xf32>
}
