// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks are 16, 8 or 4 channels of f32 here. What is checked is where layouts
// change, and the types that ops get by it.
// RUN: diffuse-opt %s --split-input-file --allow-unregistered-dialect --diffuse-pack-layouts="target=cpu:x86-64-v3 always" | FileCheck %s

// A second run changes nothing.
// RUN: diffuse-opt %s --split-input-file --allow-unregistered-dialect --diffuse-pack-layouts="target=cpu:x86-64-v3 always" -o %t.1
// RUN: diffuse-opt %t.1 --split-input-file --allow-unregistered-dialect --diffuse-pack-layouts="target=cpu:x86-64-v3 always" -o %t.2
// RUN: diff %t.1 %t.2

// What comes out goes through the next passes.
// RUN: diffuse-opt %s --split-input-file --allow-unregistered-dialect --diffuse-pack-layouts="target=cpu:x86-64-v3 always" \
// RUN:   --diffuse-outline-subgraphs --diffuse-hash-subgraphs --diffuse-cluster-subgraphs --diffuse-verify-module -o %t.3

// No GPU has use for blocks.
// RUN: diffuse-opt %s --split-input-file --allow-unregistered-dialect --diffuse-pack-layouts=target=nvidia:sm_90 -o %t.4
// RUN: diffuse-opt %s --split-input-file --allow-unregistered-dialect -o %t.5
// RUN: diff %t.4 %t.5

// The first convolution reads the plain image. Its filters are packed, and
// whoever calls gets the plain result.
// CHECK-LABEL: func.func @plain_image
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x8x8xf32>, %[[W:.*]]: tensor<32x3x3x3xf32>
// CHECK:         %[[P:.*]] = linalg.pack %[[W]] inner_dims_pos = [0] inner_tiles = [16] {{.*}} -> tensor<2x3x3x3x16xf32>
// CHECK:         %[[C:.*]] = linalg.generic {{.*}}ins(%[[X]], %[[P]] : {{.*}}) outs({{.*}} : tensor<1x2x6x6x16xf32>)
// CHECK:         %[[R:.*]] = linalg.unpack %[[C]] inner_dims_pos = [1] inner_tiles = [16] {{.*}} -> tensor<1x32x6x6xf32>
// CHECK-NEXT:    return %[[R]]
func.func @plain_image(%x: tensor<1x3x8x8xf32>, %w: tensor<32x3x3x3xf32> {diffuse.parameter}) -> tensor<1x32x6x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x6x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) outs(%f : tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  return %c : tensor<1x32x6x6xf32>
}

// -----

// The order of the sum over channels is that of the plain form: blocks, then
// their elements, then the window.
// CHECK-DAG:   #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d5, d2 + d7, d3 + d8, d6)>
// CHECK-DAG:   #[[FILTERS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d1, d5, d7, d8, d6, d4)>
// CHECK-DAG:   #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d3, d4)>
// CHECK-LABEL: func.func @order_of_sums
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #[[FILTERS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
func.func @order_of_sums(%x: tensor<1x3x8x8xf32>, %w: tensor<32x3x3x3xf32> {diffuse.parameter}, %v: tensor<48x32x3x3xf32> {diffuse.parameter}) -> tensor<1x48x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x6x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) outs(%f : tensor<1x32x6x6xf32>) -> tensor<1x32x6x6xf32>
  %eb = tensor.empty() : tensor<1x48x4x4xf32>
  %fb = linalg.fill ins(%z : f32) outs(%eb : tensor<1x48x4x4xf32>) -> tensor<1x48x4x4xf32>
  %b = linalg.conv_2d_nchw_fchw ins(%a, %v : tensor<1x32x6x6xf32>, tensor<48x32x3x3xf32>) outs(%fb : tensor<1x48x4x4xf32>) -> tensor<1x48x4x4xf32>
  return %b : tensor<1x48x4x4xf32>
}

// -----

// Both operands of the sum of a residual have two readers, and it is read twice
// plain: one unpack for both. Three convolutions share their filters, which are
// packed once for those that read blocks, once for the one that reads the image.
// CHECK-LABEL: func.func @residual
// CHECK-SAME:    %[[X:.*]]: tensor<1x16x8x8xf32>, %[[W:.*]]: tensor<16x16x1x1xf32>
// CHECK-NOT:     linalg.unpack
// CHECK-COUNT-2: linalg.pack %[[W]]
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     linalg.unpack
// CHECK:         %[[P:.*]] = linalg.unpack
// CHECK-NOT:     linalg.unpack
// CHECK:         "other.op"(%[[P]])
// CHECK-NOT:     linalg.unpack
// CHECK:         return %[[P]]
func.func @residual(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}) -> tensor<1x16x8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) outs(%f : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %b = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) outs(%f : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%b, %w : tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) outs(%f : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %s = linalg.add ins(%a, %c : tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) outs(%e : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  "other.op"(%s) : (tensor<1x16x8x8xf32>) -> ()
  return %s : tensor<1x16x8x8xf32>
}

// -----

// Pads, poolings and depthwise convolutions, with strides, go on with blocks of
// 8: 24 channels are no multiple of 16.
// CHECK-DAG:   #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2 * 2 + d5, d3 * 2 + d6, d4)>
// CHECK-DAG:   #[[PANEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>
// CHECK-LABEL: func.func @windows
// CHECK-SAME:    %{{.*}}: tensor<1x3x9x9xf32>, %[[W:.*]]: tensor<24x3x1x1xf32>{{.*}}, %[[D:.*]]: tensor<24x3x3xf32>
// CHECK-NOT:     linalg.unpack
// CHECK-DAG:     linalg.pack %[[W]] inner_dims_pos = [0] inner_tiles = [8] {{.*}} -> tensor<3x3x1x1x8xf32>
// CHECK-DAG:     %[[PD:.*]] = linalg.pack %[[D]] inner_dims_pos = [0] inner_tiles = [8] {{.*}} -> tensor<3x3x3x8xf32>
// CHECK:         %[[PAD:.*]] = tensor.pad %{{.*}} low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0]
// CHECK:         tensor<1x3x9x9x8xf32> to tensor<1x3x11x11x8xf32>
// CHECK:         %[[M:.*]] = linalg.generic {indexing_maps = [#[[WINDOW]],{{.*}}ins(%[[PAD]], {{.*}}outs({{.*}} : tensor<1x3x5x5x8xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[WINDOW]], #[[PANEL]],{{.*}}ins(%[[M]], %[[PD]] : {{.*}}outs({{.*}} : tensor<1x3x2x2x8xf32>)
// CHECK:         linalg.unpack {{.*}} inner_tiles = [8] {{.*}} -> tensor<1x24x2x2xf32>
func.func @windows(%x: tensor<1x3x9x9xf32>, %w: tensor<24x3x1x1xf32> {diffuse.parameter}, %d: tensor<24x3x3xf32> {diffuse.parameter}) -> tensor<1x24x2x2xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x24x9x9xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x9x9xf32>, tensor<24x3x1x1xf32>) outs(%f : tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xf32>
  %p = tensor.pad %c low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %low : f32
  } : tensor<1x24x9x9xf32> to tensor<1x24x11x11xf32>
  %me = tensor.empty() : tensor<1x24x5x5xf32>
  %mf = linalg.fill ins(%low : f32) outs(%me : tensor<1x24x5x5xf32>) -> tensor<1x24x5x5xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %m = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%p, %window : tensor<1x24x11x11xf32>, tensor<3x3xf32>) outs(%mf : tensor<1x24x5x5xf32>) -> tensor<1x24x5x5xf32>
  %de = tensor.empty() : tensor<1x24x2x2xf32>
  %df = linalg.fill ins(%z : f32) outs(%de : tensor<1x24x2x2xf32>) -> tensor<1x24x2x2xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%m, %d : tensor<1x24x5x5xf32>, tensor<24x3x3xf32>) outs(%df : tensor<1x24x2x2xf32>) -> tensor<1x24x2x2xf32>
  return %r : tensor<1x24x2x2xf32>
}

// -----

// The value of a pad may be a constant of its region, which goes with it.
// CHECK-LABEL: func.func @constant_inside_of_a_pad
// CHECK:         tensor.pad %{{.*}} low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0]
// CHECK:         tensor.yield %{{.*}} : f32
// CHECK:         tensor<1x1x4x4x16xf32> to tensor<1x1x6x6x16xf32>
func.func @constant_inside_of_a_pad(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}) -> tensor<1x16x6x6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %p = tensor.pad %c low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %one = arith.constant 1.0 : f32
    tensor.yield %one : f32
  } : tensor<1x16x4x4xf32> to tensor<1x16x6x6xf32>
  return %p : tensor<1x16x6x6xf32>
}

// -----

// Channels are put together block by block, in the largest blocks that fit all
// parts, one vector at least.
// CHECK-LABEL: func.func @concatenation
// CHECK-NOT:     linalg.unpack
// CHECK:         tensor.concat dim(1) %{{.*}} : (tensor<1x1x4x4x8xf32>, tensor<1x3x4x4x8xf32>) -> tensor<1x4x4x4x8xf32>
// CHECK:         linalg.unpack {{.*}} -> tensor<1x32x4x4xf32>
// CHECK-LABEL: func.func @concatenation_of_other_channels
// CHECK-NOT:     linalg.unpack
// CHECK:         tensor.concat dim(1) %{{.*}} : (tensor<1x1x4x4x8xf32>, tensor<1x2x4x4x8xf32>) -> tensor<1x3x4x4x8xf32>
// CHECK-LABEL: func.func @concatenation_of_other_blocks
// CHECK-COUNT-2: linalg.unpack
// CHECK-NOT:     linalg.unpack
// CHECK:         tensor.concat dim(1) %{{.*}} : (tensor<1x8x4x4xf32>, tensor<1x12x4x4xf32>) -> tensor<1x20x4x4xf32>
func.func @concatenation(%x: tensor<1x4x4x4xf32>, %w: tensor<8x4x1x1xf32> {diffuse.parameter}, %v: tensor<24x4x1x1xf32> {diffuse.parameter}) -> tensor<1x32x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<1x8x4x4xf32>
  %fa = linalg.fill ins(%z : f32) outs(%ea : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x4x4xf32>, tensor<8x4x1x1xf32>) outs(%fa : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %eb = tensor.empty() : tensor<1x24x4x4xf32>
  %fb = linalg.fill ins(%z : f32) outs(%eb : tensor<1x24x4x4xf32>) -> tensor<1x24x4x4xf32>
  %b = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<1x4x4x4xf32>, tensor<24x4x1x1xf32>) outs(%fb : tensor<1x24x4x4xf32>) -> tensor<1x24x4x4xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<1x8x4x4xf32>, tensor<1x24x4x4xf32>) -> tensor<1x32x4x4xf32>
  return %r : tensor<1x32x4x4xf32>
}
func.func @concatenation_of_other_channels(%x: tensor<1x4x4x4xf32>, %w: tensor<8x4x1x1xf32> {diffuse.parameter}, %v: tensor<16x4x1x1xf32> {diffuse.parameter}) -> tensor<1x24x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<1x8x4x4xf32>
  %fa = linalg.fill ins(%z : f32) outs(%ea : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x4x4xf32>, tensor<8x4x1x1xf32>) outs(%fa : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %eb = tensor.empty() : tensor<1x16x4x4xf32>
  %fb = linalg.fill ins(%z : f32) outs(%eb : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %b = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<1x4x4x4xf32>, tensor<16x4x1x1xf32>) outs(%fb : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<1x8x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x24x4x4xf32>
  return %r : tensor<1x24x4x4xf32>
}
func.func @concatenation_of_other_blocks(%x: tensor<1x4x4x4xf32>, %w: tensor<8x4x1x1xf32> {diffuse.parameter}, %v: tensor<12x4x1x1xf32> {diffuse.parameter}) -> tensor<1x20x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<1x8x4x4xf32>
  %fa = linalg.fill ins(%z : f32) outs(%ea : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x4x4xf32>, tensor<8x4x1x1xf32>) outs(%fa : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %eb = tensor.empty() : tensor<1x12x4x4xf32>
  %fb = linalg.fill ins(%z : f32) outs(%eb : tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
  %b = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<1x4x4x4xf32>, tensor<12x4x1x1xf32>) outs(%fb : tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<1x8x4x4xf32>, tensor<1x12x4x4xf32>) -> tensor<1x20x4x4xf32>
  return %r : tensor<1x20x4x4xf32>
}

// -----

// So are parts that are inserted into a new tensor, or a filled one; an insertion
// elsewhere reads the plain form.
// CHECK-LABEL: func.func @insertions
// CHECK-NOT:     linalg.unpack
// CHECK:         %[[A:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0, 0, 0] [1, 1, 4, 4, 8] [1, 1, 1, 1, 1] : tensor<1x1x4x4x8xf32> into tensor<1x3x4x4x8xf32>
// CHECK:         %[[B:.*]] = tensor.insert_slice %{{.*}} into %[[A]][0, 2, 0, 0, 0] [1, 1, 4, 4, 8] [1, 1, 1, 1, 1] : tensor<1x1x4x4x8xf32> into tensor<1x3x4x4x8xf32>
// CHECK:         linalg.unpack %[[B]] {{.*}} -> tensor<1x24x4x4xf32>
// CHECK-LABEL: func.func @insertion_inside_of_a_block
// CHECK:         linalg.unpack
// CHECK:         tensor.insert_slice %{{.*}} [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x4xf32> into tensor<1x24x4x4xf32>
func.func @insertions(%x: tensor<1x4x4x4xf32>, %w: tensor<8x4x1x1xf32> {diffuse.parameter}) -> tensor<1x24x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<1x8x4x4xf32>
  %fa = linalg.fill ins(%z : f32) outs(%ea : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x4x4xf32>, tensor<8x4x1x1xf32>) outs(%fa : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %e = tensor.empty() : tensor<1x24x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x4x4xf32>) -> tensor<1x24x4x4xf32>
  %p = tensor.insert_slice %a into %f[0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x4xf32> into tensor<1x24x4x4xf32>
  %q = tensor.insert_slice %a into %p[0, 16, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x4xf32> into tensor<1x24x4x4xf32>
  return %q : tensor<1x24x4x4xf32>
}
func.func @insertion_inside_of_a_block(%x: tensor<1x4x4x4xf32>, %w: tensor<8x4x1x1xf32> {diffuse.parameter}) -> tensor<1x24x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<1x8x4x4xf32>
  %fa = linalg.fill ins(%z : f32) outs(%ea : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x4x4xf32>, tensor<8x4x1x1xf32>) outs(%fa : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %e = tensor.empty() : tensor<1x24x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x4x4xf32>) -> tensor<1x24x4x4xf32>
  %p = tensor.insert_slice %a into %f[0, 12, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x4xf32> into tensor<1x24x4x4xf32>
  return %p : tensor<1x24x4x4xf32>
}

// -----

// A sum over the image is a flat vector of channels in either form, and so is an
// image of channels last.
// CHECK-LABEL: func.func @global_pooling
// CHECK-NOT:     linalg.unpack
// CHECK:         linalg.generic {{.*}}"reduction"]} ins({{.*}} : tensor<{{.*}}2x{{.*}}x16xf32>) outs({{.*}} : tensor<{{.*}}2x16xf32>)
// CHECK-NOT:     linalg.unpack
// CHECK-LABEL: func.func @channels_last
// CHECK-NOT:     linalg.unpack
// CHECK:         linalg.generic {{.*}} ins({{.*}} : tensor<{{.*}}2x{{.*}}x16xf32>) outs({{.*}} : tensor<{{.*}}x2x16xf32>)
// CHECK-NOT:     linalg.unpack
// CHECK:         return {{.*}} : tensor<1x4x4x32xf32>
#image = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channels = affine_map<(n, c, h, w) -> (n, c)>
func.func @global_pooling(%x: tensor<1x3x4x4xf32>, %w: tensor<32x3x1x1xf32> {diffuse.parameter}) -> tensor<1x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<32x3x1x1xf32>) outs(%f : tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %pe = tensor.empty() : tensor<1x32xf32>
  %pf = linalg.fill ins(%z : f32) outs(%pe : tensor<1x32xf32>) -> tensor<1x32xf32>
  %p = linalg.generic {indexing_maps = [#image, #channels], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%c : tensor<1x32x4x4xf32>) outs(%pf : tensor<1x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<1x32xf32>
  return %p : tensor<1x32xf32>
}
func.func @channels_last(%x: tensor<1x3x4x4xf32>, %w: tensor<32x3x1x1xf32> {diffuse.parameter}) -> tensor<1x4x4x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<32x3x1x1xf32>) outs(%f : tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %te = tensor.empty() : tensor<1x4x4x32xf32>
  %t = linalg.transpose ins(%c : tensor<1x32x4x4xf32>) outs(%te : tensor<1x4x4x32xf32>) permutation = [0, 2, 3, 1]
  return %t : tensor<1x4x4x32xf32>
}

// -----

// Squeeze and excite: values of one pixel take either form by free reshapes, and
// scale an image in blocks. 4 channels are half a vector.
// CHECK-LABEL: func.func @squeeze_and_excite
// CHECK-SAME:    %{{.*}}: tensor<1x3x4x4xf32>, %[[W:.*]]: tensor<16x3x1x1xf32>{{.*}}, %[[D:.*]]: tensor<4x16x1x1xf32>{{.*}}, %[[U:.*]]: tensor<16x4x1x1xf32>
// CHECK-NOT:     linalg.unpack
// CHECK-COUNT-3: linalg.pack {{.*}} : tensor<{{[0-9]+x[0-9]+}}x1x1xf32>
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     linalg.unpack
// CHECK:         linalg.unpack {{.*}} : tensor<1x1x4x4x16xf32> -> tensor<1x16x4x4xf32>
// CHECK-NOT:     linalg.unpack
// CHECK:         return
#image = affine_map<(n, c, h, w) -> (n, c, h, w)>
#pixel = affine_map<(n, c, h, w) -> (n, c, 0, 0)>
func.func @squeeze_and_excite(%x: tensor<1x3x4x4xf32>, %w: tensor<16x3x1x1xf32> {diffuse.parameter},
                              %down: tensor<4x16x1x1xf32> {diffuse.parameter}, %up: tensor<16x4x1x1xf32> {diffuse.parameter})
    -> (tensor<1x16x4x4xf32>, tensor<1x16xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %pe = tensor.empty() : tensor<1x16x1x1xf32>
  %pf = linalg.fill ins(%z : f32) outs(%pe : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
  %window = tensor.empty() : tensor<4x4xf32>
  %p = linalg.pooling_nchw_sum ins(%c, %window : tensor<1x16x4x4xf32>, tensor<4x4xf32>) outs(%pf : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
  %de = tensor.empty() : tensor<1x4x1x1xf32>
  %df = linalg.fill ins(%z : f32) outs(%de : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %d = linalg.conv_2d_nchw_fchw ins(%p, %down : tensor<1x16x1x1xf32>, tensor<4x16x1x1xf32>) outs(%df : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %u = linalg.conv_2d_nchw_fchw ins(%d, %up : tensor<1x4x1x1xf32>, tensor<16x4x1x1xf32>) outs(%pf : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
  %s = linalg.generic {indexing_maps = [#image, #pixel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %u : tensor<1x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%e : tensor<1x16x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<1x16x4x4xf32>
  %flat = tensor.collapse_shape %u [[0], [1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<1x16xf32>
  return %s, %flat : tensor<1x16x4x4xf32>, tensor<1x16xf32>
}

// -----

// Sums start at a bias, which is repeated in blocks, or at data, which is packed.
// What a fill or an elementwise op only writes to is not.
// CHECK-LABEL: func.func @starts
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x4x4xf32>, %[[D:.*]]: tensor<1x16x4x4xf32>, %[[B:.*]]: tensor<16xf32>{{.*}}, %[[W:.*]]: tensor<16x3x1x1xf32>
// CHECK-NOT:     linalg.pack %[[D]]
// CHECK-NOT:     linalg.pack %[[B]]
// CHECK:         linalg.unpack
// CHECK:         linalg.unpack
// CHECK:         return
// CHECK-LABEL: func.func @starts_at_data
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x4x4xf32>, %[[D:.*]]: tensor<1x16x4x4xf32>
// CHECK:         linalg.pack %[[D]] inner_dims_pos = [1] inner_tiles = [16] {{.*}} -> tensor<1x1x4x4x16xf32>
#image = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @starts(%x: tensor<1x3x4x4xf32>, %d: tensor<1x16x4x4xf32>, %bias: tensor<16xf32> {diffuse.parameter}, %w: tensor<16x3x1x1xf32> {diffuse.parameter})
    -> (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %b = linalg.broadcast ins(%bias : tensor<16xf32>) outs(%e : tensor<1x16x4x4xf32>) dimensions = [0, 2, 3]
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%b : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%d : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %g = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %a = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%g : tensor<1x16x4x4xf32>) outs(%d : tensor<1x16x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %z : f32
    linalg.yield %m : f32
  } -> tensor<1x16x4x4xf32>
  return %c, %a : tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>
}
func.func @starts_at_data(%x: tensor<1x3x4x4xf32>, %d: tensor<1x16x4x4xf32>, %w: tensor<16x3x1x1xf32> {diffuse.parameter}) -> tensor<1x16x4x4xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%d : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %c : tensor<1x16x4x4xf32>
}

// -----

// Vectors run along one dimension: where two would be cut, the op reads the plain
// form, which is one for both operands.
// CHECK-LABEL: func.func @channels_in_two_dimensions
// CHECK:         linalg.unpack
// CHECK-NOT:     linalg.unpack
// CHECK:         return {{.*}} : tensor<1x16x1x16xf32>
func.func @channels_in_two_dimensions(%x: tensor<1x3x1x4xf32>, %w: tensor<16x3x1x1xf32> {diffuse.parameter}) -> tensor<1x16x1x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x1x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x1x4xf32>, tensor<16x3x1x1xf32>) outs(%f : tensor<1x16x1x4xf32>) -> tensor<1x16x1x4xf32>
  %re = tensor.empty() : tensor<1x16x1x16xf32>
  %rf = linalg.fill ins(%z : f32) outs(%re : tensor<1x16x1x16xf32>) -> tensor<1x16x1x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, d, k) -> (n, c, h, k)>, affine_map<(n, c, h, d, k) -> (n, d, h, k)>, affine_map<(n, c, h, d, k) -> (n, c, h, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%c, %c : tensor<1x16x1x4xf32>, tensor<1x16x1x4xf32>) outs(%rf : tensor<1x16x1x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x16x1x16xf32>
  return %r : tensor<1x16x1x16xf32>
}

// -----

// Filters that are computed from parameters alone are parameters, and those that
// a scalar of the run scales are not. Each step of this chain reads the one
// before twice.
// CHECK-LABEL: func.func @computed_filters
// CHECK:         linalg.pack %{{.*}} -> tensor<1x3x1x1x16xf32>
// CHECK-LABEL: func.func @filters_of_the_run
// CHECK-NOT:     linalg.pack
#filters = affine_map<(f, c, h, w) -> (f, c, h, w)>
func.func @computed_filters(%x: tensor<1x3x4x4xf32>, %w: tensor<16x3x1x1xf32> {diffuse.parameter}) -> tensor<1x16x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<16x3x1x1xf32>
  %w0 = linalg.add ins(%w, %w : tensor<16x3x1x1xf32>, tensor<16x3x1x1xf32>) outs(%we : tensor<16x3x1x1xf32>) -> tensor<16x3x1x1xf32>
  %w1 = linalg.add ins(%w0, %w0 : tensor<16x3x1x1xf32>, tensor<16x3x1x1xf32>) outs(%we : tensor<16x3x1x1xf32>) -> tensor<16x3x1x1xf32>
  %w2 = linalg.add ins(%w1, %w1 : tensor<16x3x1x1xf32>, tensor<16x3x1x1xf32>) outs(%we : tensor<16x3x1x1xf32>) -> tensor<16x3x1x1xf32>
  %w3 = linalg.add ins(%w2, %w2 : tensor<16x3x1x1xf32>, tensor<16x3x1x1xf32>) outs(%we : tensor<16x3x1x1xf32>) -> tensor<16x3x1x1xf32>
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w3 : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %c : tensor<1x16x4x4xf32>
}
func.func @filters_of_the_run(%x: tensor<1x3x4x4xf32>, %scale: f32, %w: tensor<16x3x1x1xf32> {diffuse.parameter}) -> tensor<1x16x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %we = tensor.empty() : tensor<16x3x1x1xf32>
  %ws = linalg.generic {indexing_maps = [#filters, #filters], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<16x3x1x1xf32>) outs(%we : tensor<16x3x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %scale : f32
    linalg.yield %m : f32
  } -> tensor<16x3x1x1xf32>
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %ws : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %c : tensor<1x16x4x4xf32>
}

// -----

// Values of a loop are plain; what is inside goes on as anywhere else.
// CHECK-LABEL: func.func @loop
// CHECK-COUNT-2: linalg.pack
// CHECK:         scf.for {{.*}} -> (tensor<1x16x4x4xf32>)
// CHECK-NOT:     linalg.pack
// CHECK:         %[[P:.*]] = linalg.unpack
// CHECK:         scf.yield %[[P]]
func.func @loop(%x: tensor<1x16x4x4xf32>, %w: tensor<16x16x1x1xf32> {diffuse.parameter}) -> tensor<1x16x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (tensor<1x16x4x4xf32>) {
    %a = linalg.conv_2d_nchw_fchw ins(%v, %w : tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %b = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x16x4x4xf32>, tensor<16x16x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    scf.yield %b : tensor<1x16x4x4xf32>
  }
  return %r : tensor<1x16x4x4xf32>
}

// -----

// What loops ask for their numbers stays plain, and so does what a body reads by
// itself.
// CHECK-LABEL: func.func @numbers_of_loops
// CHECK:         %[[P:.*]] = linalg.unpack %{{.*}} -> tensor<1x16x4x4xf32>
// CHECK-NOT:     linalg.unpack
// CHECK:         linalg.generic {{.*}} ins(%[[P]] : tensor<1x16x4x4xf32>)
// CHECK:         linalg.index 1
// CHECK:         tensor.extract %[[P]]
#image = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @numbers_of_loops(%x: tensor<1x3x4x4xf32>, %w: tensor<16x3x1x1xf32> {diffuse.parameter}) -> tensor<1x16x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x4x4xf32>, tensor<16x3x1x1xf32>) outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c0 = arith.constant 0 : index
  %r = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x16x4x4xf32>) outs(%e : tensor<1x16x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %v = tensor.extract %c[%c0, %i, %c0, %c0] : tensor<1x16x4x4xf32>
    %s = arith.addf %in, %v : f32
    linalg.yield %s : f32
  } -> tensor<1x16x4x4xf32>
  return %r : tensor<1x16x4x4xf32>
}

// -----

// The parameter of a contraction lies in panels of columns; what reads the result
// in order goes on, and the plain form is a free reshape. A single panel is packed
// where its columns are not contiguous.
// CHECK-LABEL: func.func @panels
// CHECK-SAME:    %{{.*}}: tensor<8x24xf32>, %[[W:.*]]: tensor<24x32xf32>{{.*}}, %[[V:.*]]: tensor<16x32xf32>
// CHECK-DAG:     linalg.pack %[[W]] {{.*}} -> tensor<2x24x16xf32>
// CHECK-DAG:     linalg.pack %[[V]] {{.*}} -> tensor<1x32x16xf32>
// CHECK-NOT:     linalg.unpack
// CHECK:         return {{.*}} : tensor<8x16xf32>
func.func @panels(%x: tensor<8x24xf32>, %w: tensor<24x32xf32> {diffuse.parameter}, %v: tensor<16x32xf32> {diffuse.parameter}, %b: tensor<32xf32> {diffuse.parameter}) -> tensor<8x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %c = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %b : tensor<8x32xf32>, tensor<32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %d = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%r, %v : tensor<8x32xf32>, tensor<16x32xf32>) outs(%f2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %d : tensor<8x16xf32>
}

// -----

// Three filters fill no block: such a convolution stays as it is, and reads the
// plain form.
// CHECK-LABEL: func.func @last_of_three_channels
// CHECK:         linalg.generic
// CHECK:         %[[PLAIN:.*]] = linalg.unpack
// CHECK:         linalg.conv_2d_nchw_fchw {{.*}}ins(%[[PLAIN]], %arg2
func.func @last_of_three_channels(%x: tensor<1x4x6x6xf32>, %w: tensor<16x4x3x3xf32> {diffuse.parameter}, %v: tensor<3x16x3x3xf32> {diffuse.parameter}) -> tensor<1x3x2x2xf32> {
  %z = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<1x16x4x4xf32>
  %fa = linalg.fill ins(%z : f32) outs(%ea : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x6x6xf32>, tensor<16x4x3x3xf32>) outs(%fa : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %eb = tensor.empty() : tensor<1x3x2x2xf32>
  %fb = linalg.fill ins(%z : f32) outs(%eb : tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %b = linalg.conv_2d_nchw_fchw ins(%a, %v : tensor<1x16x4x4xf32>, tensor<3x16x3x3xf32>) outs(%fb : tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  return %b : tensor<1x3x2x2xf32>
}
