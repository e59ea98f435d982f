// RUN: diffuse-opt %s --diffuse-outline-subgraphs --diffuse-hash-subgraphs | FileCheck %s

// Signedness of a cast tells two contractions apart; extents do so only in the
// exact hash; a pointwise convolution is a contraction, also with strides.

// CHECK-DAG: @subgraph_0_contraction({{.*}}exact_hash = "[[E0:[0-9a-f]+]]", diffuse.family_hash = "[[F0:[0-9a-f]+]]", diffuse.structure_hash = "[[S0:[0-9a-f]+]]"
// CHECK-DAG: @subgraph_1_contraction({{.*}}exact_hash = "{{[0-9a-f]+}}", diffuse.family_hash = "[[F0]]", diffuse.structure_hash = "[[S0]]"
// CHECK-DAG: @subgraph_2_contraction({{.*}}family_hash = "[[F2:[0-9a-f]+]]"
// CHECK-DAG: @subgraph_3_contraction({{.*}}family_hash = "[[F3:[0-9a-f]+]]"
// CHECK-DAG: @subgraph_4_conv_2d_nchw_fchw({{.*}}family_hash = "[[F0]]"
// CHECK-NOT: "[[F2]]"{{.*}}"[[F2]]"
func.func @f32(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
func.func @larger(%a: tensor<16x4xf32>, %b: tensor<4x6xf32>, %c: tensor<16x6xf32>) -> tensor<16x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<16x4xf32>, tensor<4x6xf32>) outs(%c : tensor<16x6xf32>) -> tensor<16x6xf32>
  return %0 : tensor<16x6xf32>
}
func.func @signed(%a: tensor<8x4xi8>, %b: tensor<4x6xi8>, %c: tensor<8x6xi32>) -> tensor<8x6xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xi8>, tensor<4x6xi8>) outs(%c : tensor<8x6xi32>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}
func.func @unsigned(%a: tensor<8x4xi8>, %b: tensor<4x6xi8>, %c: tensor<8x6xi32>) -> tensor<8x6xi32> {
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<8x4xi8>, tensor<4x6xi8>) outs(%c : tensor<8x6xi32>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}
func.func @strided(%x: tensor<1x4x9x9xf32>, %f: tensor<8x4x1x1xf32>, %c: tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32> {
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %f : tensor<1x4x9x9xf32>, tensor<8x4x1x1xf32>) outs(%c : tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  return %0 : tensor<1x8x5x5xf32>
}
