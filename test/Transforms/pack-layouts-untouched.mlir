// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What layouts are not packed for.
// RUN: diffuse-opt %s --allow-unregistered-dialect --diffuse-pack-layouts="target=cpu:x86-64-v3 always=true" | FileCheck %s

// CHECK-NOT: linalg.pack
// CHECK-NOT: linalg.unpack

// Filters that a run brings.
func.func @filters_of_the_run(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32>, %i: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %c : tensor<1x16x4x4xf32>
}
// Types that no sketch in blocks takes.
func.func @bytes(%x: tensor<1x16x4x4xi8>, %w: tensor<16x16x1x1xi8> {diffuse.parameter}, %i: tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) outs(%i : tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  return %c : tensor<1x16x4x4xi32>
}
func.func @halves(%x: tensor<1x16x4x4xf16>, %w: tensor<16x16x1x1xf16> {diffuse.parameter}, %i: tensor<1x16x4x4xf16>) -> tensor<1x16x4x4xf16> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x4x4xf16>, tensor<16x16x1x1xf16>) outs(%i : tensor<1x16x4x4xf16>) -> tensor<1x16x4x4xf16>
  return %c : tensor<1x16x4x4xf16>
}
func.func @two_types(%x: tensor<1x16x4x4xf16>, %w: tensor<16x16x1x1xf16> {diffuse.parameter}, %i: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x4x4xf16>, tensor<16x16x1x1xf16>) outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %c : tensor<1x16x4x4xf32>
}
// Numbers of channels that no block divides.
func.func @odd_channels(%x: tensor<1x16x4x4xf32>, %w: tensor<7x16x1x1xf32> {diffuse.parameter}, %i: tensor<1x7x4x4xf32>) -> tensor<1x7x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x4x4xf32>, tensor<7x16x1x1xf32>) outs(%i : tensor<1x7x4x4xf32>) -> tensor<1x7x4x4xf32>
  return %c : tensor<1x7x4x4xf32>
}
func.func @few_channels(%x: tensor<1x16x4x4xf32>, %w: tensor<2x16x1x1xf32> {diffuse.parameter}, %i: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x4x4xf32>, tensor<2x16x1x1xf32>) outs(%i : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %c : tensor<1x2x4x4xf32>
}
// Extents that are not known, or zero.
func.func @dynamic(%x: tensor<?x16x4x4xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}, %i: tensor<?x16x4x4xf32>) -> tensor<?x16x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x16x4x4xf32>, tensor<16x16x1x1xf32>) outs(%i : tensor<?x16x4x4xf32>) -> tensor<?x16x4x4xf32>
  return %c : tensor<?x16x4x4xf32>
}
func.func @no_batch(%x: tensor<0x16x4x4xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}, %i: tensor<0x16x4x4xf32>) -> tensor<0x16x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<0x16x4x4xf32>, tensor<16x16x1x1xf32>) outs(%i : tensor<0x16x4x4xf32>) -> tensor<0x16x4x4xf32>
  return %c : tensor<0x16x4x4xf32>
}
func.func @no_channels(%x: tensor<1x0x4x4xf32>, %w: tensor<16x0x1x1xf32> {diffuse.parameter}, %i: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x0x4x4xf32>, tensor<16x0x1x1xf32>) outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %c : tensor<1x16x4x4xf32>
}
// Channels that are the last dimension already, and groups of them.
func.func @channels_last(%x: tensor<1x4x4x16xf32>, %w: tensor<3x3x16x16xf32> {diffuse.parameter}, %i: tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32> {
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x4x16xf32>, tensor<3x3x16x16xf32>) outs(%i : tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
  return %c : tensor<1x2x2x16xf32>
}
func.func @groups(%x: tensor<1x2x16x4x4xf32>, %w: tensor<2x16x16x1x1xf32> {diffuse.parameter}, %i: tensor<1x2x16x4x4xf32>) -> tensor<1x2x16x4x4xf32> {
  %c = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<1x2x16x4x4xf32>, tensor<2x16x16x1x1xf32>) outs(%i : tensor<1x2x16x4x4xf32>) -> tensor<1x2x16x4x4xf32>
  return %c : tensor<1x2x16x4x4xf32>
}
// A contraction whose parameter is one panel of contiguous columns as it is, and
// one of few rows.
func.func @one_panel(%x: tensor<8x24xf32>, %w: tensor<24x16xf32> {diffuse.parameter}, %i: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %c = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x16xf32>) outs(%i : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}
func.func @one_row(%x: tensor<1x24xf32>, %w: tensor<24x32xf32> {diffuse.parameter}, %i: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %c = linalg.matmul ins(%x, %w : tensor<1x24xf32>, tensor<24x32xf32>) outs(%i : tensor<1x32xf32>) -> tensor<1x32xf32>
  return %c : tensor<1x32xf32>
}
// Poolings, sums and depthwise convolutions start no blocks.
func.func @windows(%x: tensor<1x16x4x4xf32>, %w: tensor<16x1x1xf32> {diffuse.parameter}, %i: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %e = tensor.empty() : tensor<1x1xf32>
  %p = linalg.pooling_nchw_max ins(%x, %e : tensor<1x16x4x4xf32>, tensor<1x1xf32>) outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.depthwise_conv_2d_nchw_chw ins(%p, %w : tensor<1x16x4x4xf32>, tensor<16x1x1xf32>) outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %c : tensor<1x16x4x4xf32>
}
// Buffers, other dialects, declarations, and subgraphs that are cut already.
func.func @buffers(%x: memref<1x16x4x4xf32>, %w: memref<16x16x1x1xf32> {diffuse.parameter}, %i: memref<1x16x4x4xf32>) {
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<1x16x4x4xf32>, memref<16x16x1x1xf32>) outs(%i : memref<1x16x4x4xf32>)
  return
}
func.func private @external(tensor<1x16x4x4xf32>)
func.func @foreign(%x: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %0 = "other.op"(%x) ({
    %1 = "other.inner"() : () -> tensor<1x16x4x4xf32>
    "other.end"(%1) : (tensor<1x16x4x4xf32>) -> ()
  }) : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  call @external(%0) : (tensor<1x16x4x4xf32>) -> ()
  return %0 : tensor<1x16x4x4xf32>
}
func.func private @subgraph(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}, %d: tensor<1x16x4x4xf32> {diffuse.destination})
    -> tensor<1x16x4x4xf32> attributes {diffuse.subgraph, no_inline} {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill {diffuse.prologue} ins(%z : f32) outs(%d : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw {diffuse.anchor, diffuse.root}
      ins(%x, %w : tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %m = bufferization.materialize_in_destination %c in %d : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %m : tensor<1x16x4x4xf32>
}
func.func @outlined(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}) -> tensor<1x16x4x4xf32> {
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %r = call @subgraph(%x, %w, %e) : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %r : tensor<1x16x4x4xf32>
}
// Functions that others call, that are given nothing but parameters, and filters
// that are made in a loop: they would be packed in each run.
func.func @called(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}, %i: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %c : tensor<1x16x4x4xf32>
}
func.func @called_product(%x: tensor<8x24xf32>, %w: tensor<24x32xf32> {diffuse.parameter}, %i: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %c = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x32xf32>) outs(%i : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}
func.func @caller(%x: tensor<1x16x4x4xf32>, %y: tensor<8x24xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}, %v: tensor<24x32xf32> {diffuse.parameter}, %d: tensor<8x32xf32>)
    -> (tensor<1x16x4x4xf32>, tensor<8x32xf32>) {
  %r = call @called(%x, %w, %x) : (tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %s = call @called_product(%y, %v, %d) : (tensor<8x24xf32>, tensor<24x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r, %s : tensor<1x16x4x4xf32>, tensor<8x32xf32>
}
func.func @nothing_but_parameters(%x: tensor<8x24xf32> {diffuse.parameter}, %w: tensor<24x32xf32> {diffuse.parameter}, %i: tensor<8x32xf32> {diffuse.parameter}) -> tensor<8x32xf32> {
  %k = arith.constant dense<1> : tensor<8x24xi32>
  %e = tensor.empty() : tensor<8x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) {
  ^bb0(%p: f32, %o: f32):
    %n = linalg.index 0 : index
    %t = "other.random"(%n) : (index) -> f32
    %s = arith.addf %p, %t : f32
    linalg.yield %s : f32
  } -> tensor<8x24xf32>
  %c = linalg.matmul ins(%y, %w : tensor<8x24xf32>, tensor<24x32xf32>) outs(%i : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}
func.func @made_in_a_loop(%x: tensor<8x32xf32>, %y: tensor<1x16x1x1xf32>) -> (tensor<8x32xf32>, tensor<1x16x1x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%v = %x, %u = %y) -> (tensor<8x32xf32>, tensor<1x16x1x1xf32>) {
    %w = arith.constant dense<2.0> : tensor<32x32xf32>
    %m = linalg.matmul ins(%v, %w : tensor<8x32xf32>, tensor<32x32xf32>) outs(%x : tensor<8x32xf32>) -> tensor<8x32xf32>
    %f = arith.constant dense<3.0> : tensor<16x16x1x1xf32>
    %c = linalg.conv_2d_nchw_fchw ins(%u, %f : tensor<1x16x1x1xf32>, tensor<16x16x1x1xf32>) outs(%y : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
    scf.yield %m, %c : tensor<8x32xf32>, tensor<1x16x1x1xf32>
  }
  return %r#0, %r#1 : tensor<8x32xf32>, tensor<1x16x1x1xf32>
}
// CHECK: @outlined
