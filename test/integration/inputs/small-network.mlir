// A network of every kind of op that layouts go through: convolutions, a residual
// sum, pads, poolings, a concatenation, a pointwise convolution.
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#bias = affine_map<(d0, d1, d2, d3) -> (d1)>
func.func @main(%x: tensor<1x3x10x10xf32>, %w0: tensor<16x3x3x3xf32> {diffuse.parameter}, %b0: tensor<16xf32> {diffuse.parameter},
                %w1: tensor<16x16x3x3xf32> {diffuse.parameter}, %w2: tensor<16x3x3xf32> {diffuse.parameter}, %w3: tensor<32x16x1x1xf32> {diffuse.parameter},
                %w4: tensor<16x32x3x3xf32> {diffuse.parameter}) -> (tensor<1x32x4x4xf32>, tensor<1x32xf32>, tensor<1x32x8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<1x16x8x8xf32>
  %i0 = linalg.broadcast ins(%b0 : tensor<16xf32>) outs(%e0 : tensor<1x16x8x8xf32>) dimensions = [0, 2, 3]
  %c0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %w0 : tensor<1x3x10x10xf32>, tensor<16x3x3x3xf32>) outs(%i0 : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %r0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c0 : tensor<1x16x8x8xf32>) outs(%e0 : tensor<1x16x8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x16x8x8xf32>
  %p0 = tensor.pad %r0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x16x8x8xf32> to tensor<1x16x10x10xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %c1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p0, %w1 : tensor<1x16x10x10xf32>, tensor<16x16x3x3xf32>) outs(%f1 : tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %s1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c1, %r0 : tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) outs(%e0 : tensor<1x16x8x8xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %m = arith.addf %in, %in2 : f32
    linalg.yield %m : f32
  } -> tensor<1x16x8x8xf32>
  %p1 = tensor.pad %s1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x16x8x8xf32> to tensor<1x16x10x10xf32>
  %e2 = tensor.empty() : tensor<1x16x4x4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c2 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%p1, %w2 : tensor<1x16x10x10xf32>, tensor<16x3x3xf32>) outs(%f2 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %g2 = linalg.fill ins(%low : f32) outs(%e2 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %win = tensor.empty() : tensor<3x3xf32>
  %m2 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%p1, %win : tensor<1x16x10x10xf32>, tensor<3x3xf32>) outs(%g2 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %cat = tensor.concat dim(1) %c2, %m2 : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
  %e3 = tensor.empty() : tensor<1x32x1x1xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x32x1x1xf32>) -> tensor<1x32x1x1xf32>
  %win4 = tensor.empty() : tensor<4x4xf32>
  %avg = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%cat, %win4 : tensor<1x32x4x4xf32>, tensor<4x4xf32>) outs(%f3 : tensor<1x32x1x1xf32>) -> tensor<1x32x1x1xf32>
  %flat = tensor.collapse_shape %avg [[0], [1, 2, 3]] : tensor<1x32x1x1xf32> into tensor<1x32xf32>
  %e4 = tensor.empty() : tensor<1x32x8x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %c3 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%s1, %w3 : tensor<1x16x8x8xf32>, tensor<32x16x1x1xf32>) outs(%f4 : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  return %cat, %flat, %c3 : tensor<1x32x4x4xf32>, tensor<1x32xf32>, tensor<1x32x8x8xf32>
}
