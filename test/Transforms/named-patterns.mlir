// RUN: split-file %s %t
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always --mlir-print-local-scope %t/depthwise.mlir | FileCheck %t/depthwise.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always --diffuse-outline-subgraphs=patterns=always --mlir-print-local-scope %t/depthwise.mlir | FileCheck %t/depthwise.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always --mlir-print-local-scope %t/attention.mlir | FileCheck %t/attention.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always --diffuse-outline-subgraphs=patterns=always --mlir-print-local-scope %t/attention.mlir | FileCheck %t/attention.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always --mlir-print-local-scope %t/gated.mlir | FileCheck %t/gated.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always --diffuse-outline-subgraphs=patterns=always --mlir-print-local-scope %t/gated.mlir | FileCheck %t/gated.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always %t/no-depthwise.mlir | FileCheck %t/no-depthwise.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always %t/no-attention.mlir | FileCheck %t/no-attention.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always %t/no-gated.mlir | FileCheck %t/no-gated.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=always %t/large.mlir | FileCheck %t/large.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs="patterns=always pads=false" %t/depthwise.mlir | FileCheck %t/depthwise.mlir --check-prefix=OFF
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=never %t/depthwise.mlir | FileCheck %t/depthwise.mlir --check-prefix=OFF

//--- depthwise.mlir
// Channels in blocks. What normalization merged (6x6 to 36) is parted again,
// and the dimension of one element is read through; the padding that the next
// convolution wants is written behind the last stage.

// OFF-NOT: depthwise_pointwise
// OFF-NOT: diffuse.stage

// CHECK-LABEL: func.func @blocked
// CHECK-NOT: tensor.{{collapse|expand}}_shape
// CHECK: call @[[F:subgraph_0_depthwise_pointwise]](%arg0, %arg1, %arg2, %{{.*}}) : (tensor<1x4x8x8x16xf32>, tensor<4x3x3x16xf32>, tensor<2x4x16x16xf32>, tensor<1x2x8x8x16xf32>) -> tensor<1x2x8x8x16xf32>
func.func @blocked(%x: tensor<1x4x8x8x16xf32>, %w: tensor<4x3x3x16xf32> {diffuse.parameter},
                   %v: tensor<2x4x16x16xf32> {diffuse.parameter}, %u: tensor<2x3x3x16xf32> {diffuse.parameter}) -> tensor<1x2x6x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6x6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x6x6x16xf32>) -> tensor<1x4x6x6x16xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, c, h, w, b, kh, kw) -> (n, c, h + kh, w + kw, b)>, affine_map<(n, c, h, w, b, kh, kw) -> (c, kh, kw, b)>, affine_map<(n, c, h, w, b, kh, kw) -> (n, c, h, w, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x4x8x8x16xf32>, tensor<4x3x3x16xf32>) outs(%f : tensor<1x4x6x6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x6x6x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w, b) -> (n, c, h, w, b)>, affine_map<(n, c, h, w, b) -> (n, c, h, w, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x4x6x6x16xf32>) outs(%e : tensor<1x4x6x6x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x4x6x6x16xf32>
  %pe = tensor.empty() : tensor<1x2x6x6x16xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<1x2x6x6x16xf32>) -> tensor<1x2x6x6x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(n, g, h, w, b, c, k) -> (n, c, h, w, k)>, affine_map<(n, g, h, w, b, c, k) -> (g, c, k, b)>, affine_map<(n, g, h, w, b, c, k) -> (n, g, h, w, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%r, %v : tensor<1x4x6x6x16xf32>, tensor<2x4x16x16xf32>) outs(%pf : tensor<1x2x6x6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x2x6x6x16xf32>
  %q = tensor.pad %p low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index, %n: index):
    tensor.yield %zero : f32
  } : tensor<1x2x6x6x16xf32> to tensor<1x2x8x8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, h, w, b, kh, kw) -> (n, c, h + kh, w + kw, b)>, affine_map<(n, c, h, w, b, kh, kw) -> (c, kh, kw, b)>, affine_map<(n, c, h, w, b, kh, kw) -> (n, c, h, w, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%q, %u : tensor<1x2x8x8x16xf32>, tensor<2x3x3x16xf32>) outs(%pf : tensor<1x2x6x6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x2x6x6x16xf32>
  return %y : tensor<1x2x6x6x16xf32>
}

// Two readers of the pointwise result; its residual is parted too. Equal work
// is one function.
// CHECK-LABEL: func.func @residual
// CHECK: %[[A:.*]] = call @[[G:subgraph_.*_depthwise_pointwise.*]](%arg0, %arg1, %{{.*}}, %{{.*}}) : (tensor<1x6x6x32xf32>, tensor<3x3x32xf32>, tensor<32x32xf32>, tensor<4x4x32xf32>) -> tensor<4x4x32xf32>
// CHECK: call @[[G]](%arg2, %arg1, %{{.*}}, %{{.*}})
// CHECK: return
func.func @residual(%x: tensor<1x6x6x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %x2: tensor<1x6x6x32xf32>,
                    %v: tensor<32x32xf32> {diffuse.parameter}) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %pe = tensor.empty() : tensor<16x32xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<16x32xf32>) -> tensor<16x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x4x4x32xf32> into tensor<16x32xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<16x32xf32>, tensor<32x32xf32>) outs(%pf : tensor<16x32xf32>) -> tensor<16x32xf32>
  %d = linalg.depthwise_conv_2d_nhwc_hwc ins(%x2, %w : tensor<1x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %dr = tensor.collapse_shape %d [[0, 1, 2], [3]] : tensor<1x4x4x32xf32> into tensor<16x32xf32>
  %q = linalg.matmul ins(%dr, %v : tensor<16x32xf32>, tensor<32x32xf32>) outs(%pf : tensor<16x32xf32>) -> tensor<16x32xf32>
  %s = linalg.exp ins(%p : tensor<16x32xf32>) outs(%pe : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %p, %q, %s : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
}

// Two images: what was merged is their rows too.
// CHECK-LABEL: func.func @two_images
// CHECK: call @[[TWO:subgraph_.*_depthwise_pointwise.*]](%arg0, %arg1, %arg2, %{{.*}}) : (tensor<2x6x6x32xf32>, tensor<3x3x32xf32>, tensor<32x8xf32>, tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
// CHECK-NOT: call
// CHECK: return
func.func @two_images(%x: tensor<2x6x6x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x8xf32> {diffuse.parameter}) -> tensor<32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4x32xf32>) -> tensor<2x4x4x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<2x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<2x4x4x32xf32>) -> tensor<2x4x4x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<2x4x4x32xf32> into tensor<32x32xf32>
  %pe = tensor.empty() : tensor<32x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<32x8xf32>) -> tensor<32x8xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<32x32xf32>, tensor<32x8xf32>) outs(%pf : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %p : tensor<32x8xf32>
}
// CHECK: func.func private @[[F]](%[[X:.*]]: tensor<1x4x8x8x16xf32>, %[[W:.*]]: tensor<4x3x3x16xf32> {diffuse.parameter}, %[[V:.*]]: tensor<2x4x16x16xf32> {diffuse.parameter}, %[[D:.*]]: tensor<1x2x8x8x16xf32> {diffuse.destination})
// CHECK: %[[F0:.*]] = linalg.fill {diffuse.prologue, diffuse.stage = 0 : i64}
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[F0]] : {{.*}}) attrs = {diffuse.anchor, diffuse.stage = 0 : i64}
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[C]] : {{.*}}) attrs = {diffuse.epilogue, diffuse.root, diffuse.stage = 0 : i64}
// CHECK-NOT: _shape
// CHECK: %[[I:.*]] = tensor.extract_slice %[[D]]
// CHECK: %[[F1:.*]] = linalg.fill {diffuse.prologue, diffuse.stage = 1 : i64} {{.*}} outs(%[[I]] :
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[R]], %[[V]] : tensor<1x4x6x6x16xf32>, {{.*}}) outs(%[[F1]] : {{.*}}) attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 1 : i64}
// CHECK: tensor.pad %[[P]]
// CHECK-NOT: diffuse.stage
// CHECK: return
// CHECK: func.func private @[[TWO]](
// CHECK: %[[C:.*]] = linalg.depthwise_conv_2d_nhwc_hwc {diffuse.anchor, diffuse.root, diffuse.stage = 0 : i64}
// CHECK: linalg.generic {{.*}} ins(%[[C]], %{{.*}} : tensor<2x4x4x32xf32>, {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 1 : i64}

//--- attention.mlir
// CHECK-LABEL: func.func @attention
// CHECK-NOT: _shape
// CHECK: call @[[F:subgraph_0_attention]](%arg0, %arg1, %arg2, %arg3, %{{.*}}) : (tensor<2x8x4xf32>, tensor<2x16x4xf32>, tensor<8x16xf32>, tensor<2x16x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
func.func @attention(%q: tensor<2x8x4xf32>, %k: tensor<2x16x4xf32>, %mask: tensor<8x16xf32>, %v: tensor<2x16x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x8x4xf32>, tensor<2x16x4xf32>) outs(%f : tensor<2x8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %mask : tensor<2x8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<2x8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %g = arith.divf %x, %y : f32
    %h = math.tanh %g : f32
    %a = arith.addf %h, %y : f32
    linalg.yield %a : f32
  } -> tensor<2x8x16xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x16xf32>) outs(%e : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %oe = tensor.empty() : tensor<2x8x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x16xf32>, tensor<2x16x4xf32>) outs(%of : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// Dimensions of one element come and go, and the weights are divided last.
// CHECK-LABEL: func.func @late_division
// CHECK-NOT: _shape
// CHECK: call @[[G:subgraph_.*_attention.*]](%arg0, %arg1, %arg2, %{{.*}})
func.func @late_division(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x4xf32>, tensor<16x4xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %re = tensor.empty() : tensor<8xf32>
  %rf = linalg.fill ins(%least : f32) outs(%re : tensor<8xf32>) -> tensor<8xf32>
  %h = linalg.reduce { arith.maximumf } ins(%s : tensor<8x16xf32>) outs(%rf : tensor<8xf32>) dimensions = [1]
  %x = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %h : tensor<8x16xf32>, tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %g = math.exp %d : f32
    linalg.yield %g : f32
  } -> tensor<8x16xf32>
  %tf = linalg.fill ins(%zero : f32) outs(%re : tensor<8xf32>) -> tensor<8xf32>
  %t = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf32>) outs(%tf : tensor<8xf32>) dimensions = [1]
  %oe = tensor.empty() : tensor<8x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<8x4xf32>) -> tensor<8x4xf32>
  %o = linalg.matmul ins(%x, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%of : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, d) -> (m, d)>, affine_map<(m, d) -> (m)>, affine_map<(m, d) -> (m, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%o, %t : tensor<8x4xf32>, tensor<8xf32>) outs(%oe : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A mask that is computed from where a score stands, behind the scores.
// CHECK-LABEL: func.func @causal
// CHECK: call @[[CAUSAL:subgraph_.*_attention.*]](%arg0, %arg1, %arg2, %{{.*}})
// CHECK-NOT: call
// CHECK: return
func.func @causal(%q: tensor<2x16x4xf32>, %k: tensor<2x16x4xf32>, %v: tensor<2x16x4xf32>) -> tensor<2x16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x16x4xf32>, tensor<2x16x4xf32>) outs(%f : tensor<2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x16x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : tensor<2x16x16xf32>) outs(%e : tensor<2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %row = linalg.index 1 : index
    %column = linalg.index 2 : index
    %later = arith.cmpi ugt, %column, %row : index
    %a = arith.select %later, %least, %x : f32
    linalg.yield %a : f32
  } -> tensor<2x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x16x16xf32>) outs(%e : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %oe = tensor.empty() : tensor<2x16x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x16x4xf32>) -> tensor<2x16x4xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x16x16xf32>, tensor<2x16x4xf32>) outs(%of : tensor<2x16x4xf32>) -> tensor<2x16x4xf32>
  return %o : tensor<2x16x4xf32>
}
// CHECK: func.func private @[[F]](%[[Q:.*]]: tensor<2x8x4xf32>, %[[K:.*]]: tensor<2x16x4xf32>, %[[M:.*]]: tensor<8x16xf32>, %[[V:.*]]: tensor<2x16x4xf32>, %{{.*}}: tensor<2x8x4xf32> {diffuse.destination})
// CHECK: linalg.fill {diffuse.prologue, diffuse.stage = 0 : i64}
// CHECK: linalg.generic {{.*}} ins(%[[Q]], %[[K]] : {{.*}} attrs = {diffuse.anchor, diffuse.stage = 0 : i64}
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[M]] : {{.*}} attrs = {diffuse.epilogue, diffuse.root, diffuse.stage = 0 : i64}
// CHECK: linalg.fill {diffuse.prologue, diffuse.stage = 1 : i64}
// CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%[[S]] : {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 1 : i64}
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[H]] : {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 2 : i64}
// CHECK: math.exp
// CHECK: linalg.fill {diffuse.prologue, diffuse.stage = 3 : i64}
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[E]] : {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 3 : i64}
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[E]], %[[T]] : {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 4 : i64}
// CHECK: linalg.fill {diffuse.prologue, diffuse.stage = 5 : i64}
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[V]] : {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 5 : i64}
// CHECK-NOT: diffuse.stage
// CHECK: return
// CHECK: func.func private @[[G]](
// CHECK-NOT: _shape
// CHECK: %[[H:.*]] = linalg.generic {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 1 : i64}
// CHECK: %[[E:.*]] = linalg.generic {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 2 : i64}
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[E]] : {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 3 : i64}
// CHECK: %[[O:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, {{.*}} ins(%[[E]], {{.*}} attrs = {diffuse.anchor, diffuse.stage = 4 : i64}
// CHECK: linalg.generic {{.*}} ins(%[[O]], %[[T]] : {{.*}} attrs = {diffuse.epilogue, diffuse.root, diffuse.stage = 4 : i64}
// CHECK: func.func private @[[CAUSAL]](
// CHECK: linalg.generic {{.*}} attrs = {diffuse.anchor, diffuse.stage = 0 : i64}
// CHECK: linalg.generic {{.*}} attrs = {diffuse.epilogue, diffuse.root, diffuse.stage = 0 : i64}
// CHECK: linalg.index 1
// CHECK: linalg.index 2
// CHECK: linalg.generic {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 5 : i64}

//--- gated.mlir
// The activation is in the epilogue that multiplies.

// CHECK-LABEL: func.func @with_down
// CHECK: call @[[F:subgraph_0_gated_mlp]](%arg0, %arg1, %arg2, %arg3, %{{.*}})
// CHECK-NOT: call
// CHECK: return
// CHECK-LABEL: func.func @without_down
// CHECK: call @[[G:subgraph_1_gated_mlp]](%arg0, %arg1, %arg2, %{{.*}})
// CHECK-NOT: call
// CHECK: return

// CHECK-LABEL: func.func @values_of_attention
// CHECK: call @[[G]](%arg0, %arg1, %arg2, %{{.*}})
// CHECK: call @{{subgraph_.*_attention.*}}(
// CHECK-NOT: call
// CHECK: return

// CHECK: func.func private @[[F]](%[[X:.*]]: tensor<8x16xf32>, %[[A:.*]]: tensor<16x32xf32> {{.*}}, %[[B:.*]]: tensor<16x32xf32> {{.*}}, %[[C:.*]]: tensor<32x16xf32> {{.*}}, %{{.*}}: tensor<8x16xf32> {diffuse.destination})
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[A]] : {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 0 : i64}
// CHECK: %[[U:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[B]] : {{.*}} attrs = {diffuse.anchor, diffuse.stage = 1 : i64}
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[R]], %[[U]] : {{.*}} attrs = {diffuse.epilogue, diffuse.root, diffuse.stage = 1 : i64}
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[C]] : {{.*}} attrs = {diffuse.anchor, diffuse.root, diffuse.stage = 2 : i64}
// CHECK: func.func private @[[G]](
// CHECK: diffuse.stage = 1 : i64
// CHECK-NOT: diffuse.stage = 2
// CHECK: return
func.func @with_down(%x: tensor<8x16xf32>, %a: tensor<16x32xf32> {diffuse.parameter}, %b: tensor<16x32xf32> {diffuse.parameter},
                     %c: tensor<32x16xf32> {diffuse.parameter}) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %g = linalg.matmul ins(%x, %a : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.tanh ins(%g : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %u = linalg.matmul ins(%x, %b : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.mul ins(%h, %u : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %oe = tensor.empty() : tensor<8x16xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<8x16xf32>) -> tensor<8x16xf32>
  %o = linalg.matmul ins(%p, %c : tensor<8x32xf32>, tensor<32x16xf32>) outs(%of : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %o : tensor<8x16xf32>
}

func.func @without_down(%x: tensor<8x16xf32>, %a: tensor<16x32xf32> {diffuse.parameter}, %b: tensor<16x32xf32> {diffuse.parameter}) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %g = linalg.matmul ins(%x, %a : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.tanh ins(%g : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %u = linalg.matmul ins(%x, %b : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.mul ins(%h, %u : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}

// The contraction that sums over the gated columns is the last of an attention:
// the two before it are joined without it, as they are elsewhere.
func.func @values_of_attention(%x: tensor<8x16xf32>, %a: tensor<16x32xf32> {diffuse.parameter}, %b: tensor<16x32xf32> {diffuse.parameter},
                               %q: tensor<6x4xf32>, %k: tensor<32x4xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<6x32xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<6x32xf32>) -> tensor<6x32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<6x4xf32>, tensor<32x4xf32>) outs(%sf : tensor<6x32xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %m = arith.mulf %l, %r : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<6x32xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<6x32xf32>) outs(%se : tensor<6x32xf32>) -> tensor<6x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %g = linalg.matmul ins(%x, %a : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.tanh ins(%g : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %u = linalg.matmul ins(%x, %b : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.mul ins(%h, %u : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %oe = tensor.empty() : tensor<6x8xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<6x8xf32>) -> tensor<6x8xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, n)>, affine_map<(m, d, n) -> (d, n)>, affine_map<(m, d, n) -> (m, d)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %p : tensor<6x32xf32>, tensor<8x32xf32>) outs(%of : tensor<6x8xf32>) {
  ^bb0(%l: f32, %r: f32, %y: f32):
    %m = arith.mulf %l, %r : f32
    %t = arith.addf %y, %m : f32
    linalg.yield %t : f32
  } -> tensor<6x8xf32>
  return %o : tensor<6x8xf32>
}

//--- large.mlir
// Loops over an image that stay apart stay merged.

// CHECK-LABEL: func.func @joined
// CHECK: call @subgraph_{{.*}}_depthwise_pointwise(%arg0, %arg1, %arg2, %{{.*}}) : {{.*}} -> tensor<224x224x64xf32>
// CHECK-NOT: call
// CHECK: return
func.func @joined(%x: tensor<1x226x226x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x64xf32> {diffuse.parameter}) -> tensor<50176x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x224x224x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x224x224x32xf32>) -> tensor<1x224x224x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x226x226x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x224x224x32xf32>) -> tensor<1x224x224x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x224x224x32xf32> into tensor<50176x32xf32>
  %pe = tensor.empty() : tensor<50176x64xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<50176x64xf32>) -> tensor<50176x64xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<50176x32xf32>, tensor<32x64xf32>) outs(%pf : tensor<50176x64xf32>) -> tensor<50176x64xf32>
  return %p : tensor<50176x64xf32>
}

// A stage pads what it reads.
// CHECK-LABEL: func.func @pads_input
// CHECK: call @{{.*}}_depthwise_conv_2d_nhwc_hwc(
// CHECK: call @{{.*}}_contraction({{.*}} : (tensor<50176x32xf32>, tensor<32x64xf32>, tensor<50176x64xf32>) -> tensor<50176x64xf32>
// CHECK: return
func.func @pads_input(%y: tensor<1x224x224x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x64xf32> {diffuse.parameter}) -> tensor<50176x64xf32> {
  %zero = arith.constant 0.0 : f32
  %x = tensor.pad %y low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x224x224x32xf32> to tensor<1x226x226x32xf32>
  %e = tensor.empty() : tensor<1x224x224x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x224x224x32xf32>) -> tensor<1x224x224x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x226x226x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x224x224x32xf32>) -> tensor<1x224x224x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x224x224x32xf32> into tensor<50176x32xf32>
  %pe = tensor.empty() : tensor<50176x64xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<50176x64xf32>) -> tensor<50176x64xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<50176x32xf32>, tensor<32x64xf32>) outs(%pf : tensor<50176x64xf32>) -> tensor<50176x64xf32>
  return %p : tensor<50176x64xf32>
}

// CHECK-LABEL: func.func @pads_weights
// CHECK: call @{{.*}}_depthwise_conv_2d_nhwc_hwc{{.*}}(
// CHECK: call @{{.*}}_contraction{{.*}}({{.*}} : (tensor<50176x32xf32>, tensor<30x64xf32>, tensor<50176x64xf32>) -> tensor<50176x64xf32>
// CHECK: return
func.func @pads_weights(%x: tensor<1x226x226x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<30x64xf32>) -> tensor<50176x64xf32> {
  %zero = arith.constant 0.0 : f32
  %z = tensor.pad %v low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<30x64xf32> to tensor<32x64xf32>
  %e = tensor.empty() : tensor<1x224x224x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x224x224x32xf32>) -> tensor<1x224x224x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x226x226x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x224x224x32xf32>) -> tensor<1x224x224x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x224x224x32xf32> into tensor<50176x32xf32>
  %pe = tensor.empty() : tensor<50176x64xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<50176x64xf32>) -> tensor<50176x64xf32>
  %p = linalg.matmul ins(%cr, %z : tensor<50176x32xf32>, tensor<32x64xf32>) outs(%pf : tensor<50176x64xf32>) -> tensor<50176x64xf32>
  return %p : tensor<50176x64xf32>
}

//--- no-depthwise.mlir
// CHECK-NOT: depthwise_pointwise
// CHECK-NOT: diffuse.stage

func.func @pooling(%x: tensor<1x6x6x32xf32>, %v: tensor<32x8xf32> {diffuse.parameter}) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %c = linalg.pooling_nhwc_sum ins(%x, %window : tensor<1x6x6x32xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x4x4x32xf32> into tensor<16x32xf32>
  %pe = tensor.empty() : tensor<16x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<16x8xf32>) -> tensor<16x8xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<16x32xf32>, tensor<32x8xf32>) outs(%pf : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %p : tensor<16x8xf32>
}

func.func @returned(%x: tensor<1x6x6x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x8xf32> {diffuse.parameter}) -> (tensor<16x8xf32>, tensor<1x4x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x4x4x32xf32> into tensor<16x32xf32>
  %pe = tensor.empty() : tensor<16x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<16x8xf32>) -> tensor<16x8xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<16x32xf32>, tensor<32x8xf32>) outs(%pf : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %p, %c : tensor<16x8xf32>, tensor<1x4x4x32xf32>
}

func.func @second_reader(%x: tensor<1x6x6x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x8xf32> {diffuse.parameter}) -> (tensor<16x8xf32>, tensor<1x4x4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x4x4x32xf32> into tensor<16x32xf32>
  %pe = tensor.empty() : tensor<16x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<16x8xf32>) -> tensor<16x8xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<16x32xf32>, tensor<32x8xf32>) outs(%pf : tensor<16x8xf32>) -> tensor<16x8xf32>
  %t = linalg.exp ins(%c : tensor<1x4x4x32xf32>) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  return %p, %t : tensor<16x8xf32>, tensor<1x4x4x32xf32>
}

// A reshape that splits channels.
func.func @other_reshape(%x: tensor<1x6x6x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<4x8x8xf32> {diffuse.parameter}) -> tensor<1x4x4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %cr = tensor.expand_shape %c [[0], [1], [2], [3, 4]] output_shape [1, 4, 4, 4, 8] : tensor<1x4x4x32xf32> into tensor<1x4x4x4x8xf32>
  %pe = tensor.empty() : tensor<1x4x4x4x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<1x4x4x4x8xf32>) -> tensor<1x4x4x4x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, k) -> (n, h, w, g, k)>, affine_map<(n, h, w, g, o, k) -> (g, k, o)>, affine_map<(n, h, w, g, o, k) -> (n, h, w, g, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%cr, %v : tensor<1x4x4x4x8xf32>, tensor<4x8x8xf32>) outs(%pf : tensor<1x4x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x4x8xf32>
  return %p : tensor<1x4x4x4x8xf32>
}

// A pad between the two, which the convolution writes into.
func.func @pad_between(%x: tensor<1x6x6x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x8xf32> {diffuse.parameter}) -> tensor<1x6x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %q = tensor.pad %c low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x32xf32> to tensor<1x6x6x32xf32>
  %pe = tensor.empty() : tensor<1x6x6x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, k) -> (n, h, w, k)>, affine_map<(n, h, w, o, k) -> (k, o)>, affine_map<(n, h, w, o, k) -> (n, h, w, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %v : tensor<1x6x6x32xf32>, tensor<32x8xf32>) outs(%pf : tensor<1x6x6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x6x6x8xf32>
  return %p : tensor<1x6x6x8xf32>
}

// A pad that the convolution itself makes, for nobody computes what it pads.
func.func @pads_input(%y: tensor<1x4x4x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x8xf32> {diffuse.parameter}) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %x = tensor.pad %y low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x32xf32> to tensor<1x6x6x32xf32>
  %e = tensor.empty() : tensor<1x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x4x4x32xf32> into tensor<16x32xf32>
  %pe = tensor.empty() : tensor<16x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<16x8xf32>) -> tensor<16x8xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<16x32xf32>, tensor<32x8xf32>) outs(%pf : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %p : tensor<16x8xf32>
}

// An image of one element has no rows.
func.func @one_element(%x: tensor<1x3x3x32xf32>, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x8xf32> {diffuse.parameter}) -> tensor<1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x1x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x1x32xf32>) -> tensor<1x1x1x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x3x3x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x1x1x32xf32>) -> tensor<1x1x1x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x1x1x32xf32> into tensor<1x32xf32>
  %pe = tensor.empty() : tensor<1x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<1x8xf32>) -> tensor<1x8xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<1x32xf32>, tensor<32x8xf32>) outs(%pf : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %p : tensor<1x8xf32>
}

// Computed once, from parameters alone.
func.func @of_parameters(%x: tensor<1x6x6x32xf32> {diffuse.parameter}, %w: tensor<3x3x32xf32> {diffuse.parameter}, %v: tensor<32x8xf32> {diffuse.parameter}, %y: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x6x6x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %cr = tensor.collapse_shape %c [[0, 1, 2], [3]] : tensor<1x4x4x32xf32> into tensor<16x32xf32>
  %pe = tensor.empty() : tensor<16x8xf32>
  %pf = linalg.fill ins(%zero : f32) outs(%pe : tensor<16x8xf32>) -> tensor<16x8xf32>
  %p = linalg.matmul ins(%cr, %v : tensor<16x32xf32>, tensor<32x8xf32>) outs(%pf : tensor<16x8xf32>) -> tensor<16x8xf32>
  %s = linalg.add ins(%p, %y : tensor<16x8xf32>, tensor<16x8xf32>) outs(%pe : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %s : tensor<16x8xf32>
}

//--- no-attention.mlir
// CHECK-NOT: attention
// CHECK-NOT: diffuse.stage

// A step of decoding: nothing to cut.
func.func @one_row(%q: tensor<1x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> (tensor<1x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x4xf32>, tensor<16x4xf32>) outs(%f : tensor<1x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<1x16xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<1x16xf32>) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %oe = tensor.empty() : tensor<1x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<1x4xf32>) -> tensor<1x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<1x16xf32>, tensor<16x4xf32>) outs(%of : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %o : tensor<1x4xf32>
}

// A normalization has no exponential.
func.func @normalization(%q: tensor<8x4xf32>, %k: tensor<4x16xf32>, %v: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x4xf32>, tensor<4x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  %re = tensor.empty() : tensor<8xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<8xf32>) -> tensor<8xf32>
  %t = linalg.reduce { arith.addf } ins(%s : tensor<8x16xf32>) outs(%rf : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %t : tensor<8x16xf32>, tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8x16xf32>
  %oe = tensor.empty() : tensor<8x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<8x4xf32>) -> tensor<8x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%of : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// The scores have another reader.
func.func @second_reader(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x4xf32>, tensor<16x4xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %oe = tensor.empty() : tensor<8x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<8x4xf32>) -> tensor<8x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%of : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.exp ins(%s : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %o, %t : tensor<8x4xf32>, tensor<8x16xf32>
}

// So have the weights.
func.func @returned(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x4xf32>, tensor<16x4xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %oe = tensor.empty() : tensor<8x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<8x4xf32>) -> tensor<8x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%of : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o, %p : tensor<8x4xf32>, tensor<8x16xf32>
}

// The weights of a column, not of a row, sum to one.
func.func @other_dimension(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> (tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x4xf32>, tensor<16x4xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %p = linalg.softmax dimension(0) ins(%s : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %oe = tensor.empty() : tensor<8x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<8x4xf32>) -> tensor<8x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%of : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// Nothing is reduced in between.
func.func @no_reduction(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> (tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x4xf32>, tensor<16x4xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %p = linalg.exp ins(%s : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %oe = tensor.empty() : tensor<8x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<8x4xf32>) -> tensor<8x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%of : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// Columns are split in between.
func.func @other_reshape(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> (tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x4xf32>, tensor<16x4xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %z = tensor.expand_shape %s [[0], [1, 2]] output_shape [8, 2, 8] : tensor<8x16xf32> into tensor<8x2x8xf32>
  %ze = tensor.empty() : tensor<8x2x8xf32>
  %zp = linalg.softmax dimension(2) ins(%z : tensor<8x2x8xf32>) outs(%ze : tensor<8x2x8xf32>) -> tensor<8x2x8xf32>
  %p = tensor.collapse_shape %zp [[0], [1, 2]] : tensor<8x2x8xf32> into tensor<8x16xf32>
  %oe = tensor.empty() : tensor<8x4xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<8x4xf32>) -> tensor<8x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x16xf32>, tensor<16x4xf32>) outs(%of : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- no-gated.mlir
// CHECK-NOT: gated
// CHECK-NOT: diffuse.stage

func.func @one_row(%x: tensor<1x16xf32>, %x2: tensor<1x16xf32>, %a: tensor<16x32xf32> {diffuse.parameter}, %b: tensor<16x32xf32> {diffuse.parameter}) -> (tensor<1x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
  %g = linalg.matmul ins(%x, %a : tensor<1x16xf32>, tensor<16x32xf32>) outs(%f : tensor<1x32xf32>) -> tensor<1x32xf32>
  %h = linalg.tanh ins(%g : tensor<1x32xf32>) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
  %u = linalg.matmul ins(%x, %b : tensor<1x16xf32>, tensor<16x32xf32>) outs(%f : tensor<1x32xf32>) -> tensor<1x32xf32>
  %p = linalg.mul ins(%h, %u : tensor<1x32xf32>, tensor<1x32xf32>) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
  return %p : tensor<1x32xf32>
}

// Rows of two values.
func.func @other_rows(%x: tensor<8x16xf32>, %x2: tensor<8x16xf32>, %a: tensor<16x32xf32> {diffuse.parameter}, %b: tensor<16x32xf32> {diffuse.parameter}) -> (tensor<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %g = linalg.matmul ins(%x, %a : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.tanh ins(%g : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %u = linalg.matmul ins(%x2, %b : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.mul ins(%h, %u : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}

// The gate is returned too.
func.func @returned(%x: tensor<8x16xf32>, %x2: tensor<8x16xf32>, %a: tensor<16x32xf32> {diffuse.parameter}, %b: tensor<16x32xf32> {diffuse.parameter}) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %g = linalg.matmul ins(%x, %a : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.tanh ins(%g : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %u = linalg.matmul ins(%x, %b : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.mul ins(%h, %u : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %p, %h : tensor<8x32xf32>, tensor<8x32xf32>
}
