// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-verify-module -o %t.1
// RUN: FileCheck %s < %t.1
// RUN: diffuse-opt %t.1 --diffuse-outline-subgraphs | diff - %t.1
// RUN: diffuse-opt %t.1 --diffuse-hash-subgraphs --diffuse-cluster-subgraphs --diffuse-verify-module -o /dev/null

// Forms that are rare: each is cut, or left alone, and none is mistaken for
// another.

// CHECK-LABEL: func.func @sparse(
// CHECK-NOT:     call
// CHECK-LABEL: func.func @dot(
// CHECK:         call @subgraph_0_reduction(
// CHECK-LABEL: func.func @brm(
// CHECK:         call @subgraph_1_contraction(
// CHECK-LABEL: func.func @conv1d_unit(
// CHECK:         call @subgraph_4_conv_1d(
// CHECK-LABEL: func.func @conv3d(
// CHECK:         call @subgraph_5_contraction({{.*}}tensor<512x3xf32>, tensor<3x4xf32>
// CHECK-LABEL: func.func @dyn1x1(
// CHECK:         call @subgraph_6_conv_2d_nchw_fchw({{.*}}tensor<?x8x?x?xf32>, tensor<4x8x1x1xf32>
// CHECK-LABEL: func.func @grouped(
// CHECK:         call @subgraph_7_contraction({{.*}}tensor<2x3x4xf32>, tensor<2x4x81xf32>
// CHECK-LABEL: func.func @while(
// CHECK:         func.call @subgraph_9_elementwise(
// CHECK-LABEL: func.func @dynpad(
// CHECK:         call @subgraph_11_pad(%{{.*}}) : (tensor<?x4xf32>, index, f32, tensor<?x?xf32>)
// CHECK-LABEL: func.func @self(
// CHECK:         call @subgraph_14_contraction(%arg0, %{{.*}}) : (tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-LABEL: func.func @two(
// CHECK:         :2 = call @subgraph_15_elementwise(
// CHECK-LABEL: func.func @winograd(
// CHECK-NOT:     call
// CHECK-LABEL: func.func @forall(
// CHECK:         func.call @subgraph_18_elementwise(

#sp = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#id = affine_map<(d0) -> (d0)>
#r = affine_map<(d0) -> ()>
module {
module @inner { func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = math.exp %x : tensor<4xf32> return %0 : tensor<4xf32> } }
func.func @sparse(%x: tensor<4xf32, #sp>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32, #sp>) outs(%e : tensor<4xf32>) { ^bb0(%a: f32, %o: f32): linalg.yield %a : f32 } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @dot(%x: tensor<?xf32>, %y: tensor<?xf32>, %o: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @brm(%a: tensor<3x4x5xf32>, %b: tensor<3x5x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.batch_reduce_matmul ins(%a, %b : tensor<3x4x5xf32>, tensor<3x5x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @mmt4d(%a: tensor<2x3x4x1xf32>, %b: tensor<5x3x8x1xf32>, %c: tensor<2x5x4x8xf32>) -> tensor<2x5x4x8xf32> {
  %0 = linalg.mmt4d ins(%a, %b : tensor<2x3x4x1xf32>, tensor<5x3x8x1xf32>) outs(%c : tensor<2x5x4x8xf32>) -> tensor<2x5x4x8xf32>
  return %0 : tensor<2x5x4x8xf32>
}
func.func @conv1d(%a: tensor<8xf32>, %b: tensor<3xf32>, %c: tensor<6xf32>) -> tensor<6xf32> {
  %0 = linalg.conv_1d ins(%a, %b : tensor<8xf32>, tensor<3xf32>) outs(%c : tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @conv1d_unit(%a: tensor<8xf32>, %b: tensor<1xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.conv_1d ins(%a, %b : tensor<8xf32>, tensor<1xf32>) outs(%c : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @conv3d(%a: tensor<1x8x8x8x3xf32>, %b: tensor<1x1x1x3x4xf32>, %c: tensor<1x8x8x8x4xf32>) -> tensor<1x8x8x8x4xf32> {
  %0 = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%a, %b : tensor<1x8x8x8x3xf32>, tensor<1x1x1x3x4xf32>) outs(%c : tensor<1x8x8x8x4xf32>) -> tensor<1x8x8x8x4xf32>
  return %0 : tensor<1x8x8x8x4xf32>
}
func.func @dyn1x1(%a: tensor<?x8x?x?xf32>, %b: tensor<4x8x1x1xf32>, %c: tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<?x8x?x?xf32>, tensor<4x8x1x1xf32>) outs(%c : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  return %0 : tensor<?x4x?x?xf32>
}
func.func @grouped(%a: tensor<1x2x4x9x9xf32>, %b: tensor<2x3x4x1x1xf32>, %c: tensor<1x2x3x9x9xf32>) -> tensor<1x2x3x9x9xf32> {
  %0 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x2x4x9x9xf32>, tensor<2x3x4x1x1xf32>) outs(%c : tensor<1x2x3x9x9xf32>) -> tensor<1x2x3x9x9xf32>
  return %0 : tensor<1x2x3x9x9xf32>
}
func.func @dwm(%a: tensor<1x9x9x4xf32>, %b: tensor<3x3x4x2xf32>, %c: tensor<1x7x7x4x2xf32>) -> tensor<1x7x7x4x2xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a, %b : tensor<1x9x9x4xf32>, tensor<3x3x4x2xf32>) outs(%c : tensor<1x7x7x4x2xf32>) -> tensor<1x7x7x4x2xf32>
  return %0 : tensor<1x7x7x4x2xf32>
}
func.func @while(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%t = %x, %i = %c0) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %t, %i : tensor<4xf32>, i32
  } do { ^bb0(%t: tensor<4xf32>, %i: i32):
    %u = math.exp %t : tensor<4xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %u, %j : tensor<4xf32>, i32
  }
  return %r#0 : tensor<4xf32>
}
func.func @gen(%n: index, %s: f32) -> tensor<?x4xf32> {
  %0 = tensor.generate %n { ^bb0(%i: index, %j: index): tensor.yield %s : f32 } : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @dynpad(%x: tensor<?x4xf32>, %l: index, %v: f32) -> tensor<?x?xf32> {
  %0 = tensor.pad %x low[%l, 1] high[2, %l] { ^bb0(%i: index, %j: index): tensor.yield %v : f32 } : tensor<?x4xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @dynconcat(%x: tensor<?x4xf32>, %y: tensor<3x4xf32>) -> tensor<?x4xf32> {
  %0 = tensor.concat dim(0) %x, %y : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @f8(%x: tensor<4x4xf8E4M3FN>, %y: tensor<4x4xf8E5M2>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%x, %y : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E5M2>) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @self(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) { ^bb0(%a: f32, %o: f32, %p: f32): %s = math.exp %a : f32
    linalg.yield %s, %a : f32, f32 } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
func.func @unit(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x1xf32>, tensor<1x1xf32>) outs(%c : tensor<1x1xf32>) -> tensor<1x1xf32>
  %1 = linalg.exp ins(%0 : tensor<1x1xf32>) outs(%c : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}
func.func @zero(%a: tensor<0x4xf32>, %b: tensor<4x3xf32>, %c: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<0x4xf32>, tensor<4x3xf32>) outs(%c : tensor<0x3xf32>) -> tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}
func.func @winograd(%f: tensor<2x3x3x5xf32>, %o: tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32> {
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%o : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %0 : tensor<6x6x5x2xf32>
}
func.func @forall(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8x4xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %t = math.exp %s : tensor<1x4xf32>
    scf.forall.in_parallel { tensor.parallel_insert_slice %t into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32> }
  }
  return %0 : tensor<8x4xf32>
}
func.func @cond(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %c, %x, %y : tensor<4xf32>
  %1 = arith.addf %0, %y : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @bigrank(%x: tensor<1x2x1x2x1x2x1x2xf32>) -> tensor<2x2x2x2xf32> {
  %z = arith.constant dense<0.0> : tensor<2x2x2x2xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<1x2x1x2x1x2x1x2xf32>) outs(%z : tensor<2x2x2x2xf32>) dimensions = [0, 2, 4, 6]
  return %0 : tensor<2x2x2x2xf32>
}
}
