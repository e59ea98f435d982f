// RUN: diffuse-run %s --entry=keeps_unit_dims --check | FileCheck %s
// RUN: diffuse-run %s --entry=sums_unit_dims --check | FileCheck %s
// RUN: diffuse-run %s --entry=part_of_image --check | FileCheck %s
// RUN: diffuse-run %s --entry=part_of_unknown_image --extents=10,10,8,8 --check | FileCheck %s
// RUN: diffuse-run %s --entry=scaled --check | FileCheck %s

// Forms that are rare: default schedules keep what they mean.

// CHECK: answers agree

func.func @keeps_unit_dims(%x: tensor<2x8x1x7xf32>, %o: tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<2x8x1x7xf32>) outs(%o : tensor<2x8x1x1xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<2x8x1x1xf32>
  return %0 : tensor<2x8x1x1xf32>
}
func.func @sums_unit_dims(%x: tensor<2x8x1x1xf32>, %o: tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<2x8x1x1xf32>) outs(%o : tensor<2x8x1x1xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<2x8x1x1xf32>
  return %0 : tensor<2x8x1x1xf32>
}
func.func @part_of_image(%x: tensor<1x8x10x10xf32>, %w: tensor<16x8x1x1xf32>, %o: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x10x10xf32>, tensor<16x8x1x1xf32>) outs(%o : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %0 : tensor<1x16x8x8xf32>
}
func.func @part_of_unknown_image(%x: tensor<1x8x?x?xf32>, %w: tensor<16x8x1x1xf32>, %o: tensor<1x16x?x?xf32>) -> tensor<1x16x?x?xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x?x?xf32>, tensor<16x8x1x1xf32>) outs(%o : tensor<1x16x?x?xf32>) -> tensor<1x16x?x?xf32>
  return %0 : tensor<1x16x?x?xf32>
}
func.func @scaled(%x: tensor<37x41xf32>, %y: tensor<41x53xf32>, %o: tensor<37x53xf32>) -> tensor<37x53xf32> {
  %half = arith.constant 0.5 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y, %half : tensor<37x41xf32>, tensor<41x53xf32>, f32) outs(%o : tensor<37x53xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.mulf %m, %c : f32
    %t = arith.addf %s, %n : f32
    linalg.yield %t : f32
  } -> tensor<37x53xf32>
  return %0 : tensor<37x53xf32>
}
