// RUN: split-file %s %t
// RUN: diffuse-opt --diffuse-outline-subgraphs --diffuse-verify-module --mlir-print-local-scope %t/residual.mlir | FileCheck %t/residual.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs --diffuse-outline-subgraphs --mlir-print-local-scope %t/residual.mlir | FileCheck %t/residual.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs --mlir-print-local-scope %t/pointwise.mlir | FileCheck %t/pointwise.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs %t/two-sums.mlir | FileCheck %t/two-sums.mlir
// RUN: diffuse-opt --allow-unregistered-dialect --diffuse-outline-subgraphs --diffuse-verify-module %t/foreign.mlir | FileCheck %t/foreign.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs --mlir-print-local-scope %t/left.mlir | FileCheck %t/left.mlir
// RUN: diffuse-opt --diffuse-outline-subgraphs=pads=false --mlir-print-local-scope %t/residual.mlir | FileCheck %t/residual.mlir --check-prefix=CONSUMER

//--- residual.mlir
// Two equal pads and a residual sum read one value: it is written into the
// padded tensor, and the sum reads the interior of that. A pad by another
// constant stays with its reader, which pads the interior.

// CONSUMER-NOT: tensor.extract_slice

// CHECK-LABEL: func.func @residual
// CHECK: %[[P:.*]] = call @[[MAKE:subgraph_0_elementwise]](%{{.*}}, %{{.*}}) : (tensor<1x8x6x6xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
// CHECK: call @[[CONV:.*conv_2d_nchw_fchw]](%[[P]],
// CHECK: call @[[CONV]](%[[P]],
// CHECK: call @[[POOL:.*pooling_nchw_max]](%{{.*}}, %{{.*}}, %[[P]], %{{.*}})
// CHECK-NOT: extract_slice
// CHECK: return

// CHECK: func.func private @[[MAKE]](%[[X:.*]]: tensor<1x8x6x6xf32>, %[[D:.*]]: tensor<1x8x8x8xf32> {diffuse.destination})
// CHECK: %[[I:.*]] = tensor.extract_slice %[[D]][0, 0, 1, 1] [1, 8, 6, 6] [1, 1, 1, 1]
// CHECK: %[[R:.*]] = linalg.generic {{.*}}ins(%[[X]] : {{.*}}) outs(%[[I]] : {{.*}}) attrs = {diffuse.anchor, diffuse.root}
// CHECK: %[[PAD:.*]] = tensor.pad %[[R]] low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: materialize_in_destination %[[PAD]] in %[[D]]

// CHECK: func.func private @[[POOL]]({{.*}}, %[[Q:.*]]: tensor<1x8x8x8xf32>, %{{.*}}: tensor<1x8x6x6xf32> {diffuse.destination})
// CHECK: %[[S:.*]] = tensor.extract_slice %[[Q]][0, 0, 1, 1] [1, 8, 6, 6] [1, 1, 1, 1]
// CHECK: tensor.pad %[[S]]
// CHECK: linalg.generic {{.*}}ins({{.*}}, %[[S]] : {{.*}}diffuse.root
func.func @residual(%x: tensor<1x8x6x6xf32>, %w: tensor<8x8x3x3xf32> {diffuse.parameter}) -> tensor<1x8x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x8x6x6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x8x6x6xf32>) outs(%e : tensor<1x8x6x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x8x6x6xf32>
  %p = tensor.pad %v low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
  %q = tensor.pad %v low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
  %n = tensor.pad %v low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %least : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) outs(%f : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %c2 = linalg.conv_2d_nchw_fchw ins(%q, %w : tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) outs(%f : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %g = linalg.fill ins(%least : f32) outs(%e : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %t = linalg.pooling_nchw_max ins(%n, %window : tensor<1x8x8x8xf32>, tensor<3x3xf32>) outs(%g : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %c2, %t, %v : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) outs(%e : tensor<1x8x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %h: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.divf %1, %d : f32
    %3 = arith.addf %2, %h : f32
    linalg.yield %3 : f32
  } -> tensor<1x8x6x6xf32>
  return %s : tensor<1x8x6x6xf32>
}

//--- pointwise.mlir
// A contraction whose loops over the image were merged gets them back.

// CHECK-LABEL: func.func @pointwise
// CHECK: %[[P:.*]] = call @subgraph_0_contraction({{.*}}) : {{.*}} -> tensor<1x2x7x7x16xf32>
// CHECK: call @subgraph_1_pooling(%[[P]],
// CHECK: func.func private @subgraph_0_contraction
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]{{.*}}diffuse.anchor
// CHECK: linalg.generic {{.*}}diffuse.root
// CHECK: tensor.pad
func.func @pointwise(%x: tensor<1x5x5x8xf32>, %w: tensor<2x8x16xf32> {diffuse.parameter}) -> tensor<1x2x5x5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x5x5x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x5x5x16xf32>) -> tensor<1x2x5x5x16xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(a, b, y, x, n, k) -> (a, y, x, k)>, affine_map<(a, b, y, x, n, k) -> (b, k, n)>, affine_map<(a, b, y, x, n, k) -> (a, b, y, x, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x5x5x8xf32>, tensor<2x8x16xf32>) outs(%f : tensor<1x2x5x5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x2x5x5x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>, affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x2x5x5x16xf32>) outs(%e : tensor<1x2x5x5x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x2x5x5x16xf32>
  %p = tensor.pad %r low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index, %m: index):
    tensor.yield %zero : f32
  } : tensor<1x2x5x5x16xf32> to tensor<1x2x7x7x16xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, y, x, n, v, u) -> (a, b, y + v, x + u, n)>, affine_map<(a, b, y, x, n, v, u) -> (v, u)>, affine_map<(a, b, y, x, n, v, u) -> (a, b, y, x, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %window : tensor<1x2x7x7x16xf32>, tensor<3x3xf32>) outs(%f : tensor<1x2x5x5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<1x2x5x5x16xf32>
  return %s : tensor<1x2x5x5x16xf32>
}

//--- two-sums.mlir
// The sum of two contractions gets its loops over the image back together with
// both, and neither is left to be computed for nobody.

// CHECK-LABEL: func.func @two_sums
// CHECK-COUNT-2: call @{{.*}}contraction
// CHECK-NOT:   contraction
// CHECK:       call @{{.*}}pooling
// CHECK:       return
#image = affine_map<(a, b, y, x, n, k) -> (a, y, x, k)>
#filters = affine_map<(a, b, y, x, n, k) -> (b, k, n)>
#blocks = affine_map<(a, b, y, x, n, k) -> (a, b, y, x, n)>
#order = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
func.func @two_sums(%x: tensor<1x5x5x8xf32>, %y: tensor<1x5x5x8xf32>, %w: tensor<2x8x16xf32> {diffuse.parameter}, %v: tensor<2x8x16xf32> {diffuse.parameter}) -> tensor<1x2x5x5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x5x5x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x5x5x16xf32>) -> tensor<1x2x5x5x16xf32>
  %c = linalg.generic {indexing_maps = [#image, #filters, #blocks], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x5x5x8xf32>, tensor<2x8x16xf32>) outs(%f : tensor<1x2x5x5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x2x5x5x16xf32>
  %d = linalg.generic {indexing_maps = [#image, #filters, #blocks], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%y, %v : tensor<1x5x5x8xf32>, tensor<2x8x16xf32>) outs(%f : tensor<1x2x5x5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x2x5x5x16xf32>
  %r = linalg.generic {indexing_maps = [#order, #order, #order], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %d : tensor<1x2x5x5x16xf32>, tensor<1x2x5x5x16xf32>) outs(%e : tensor<1x2x5x5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x2x5x5x16xf32>
  %p = tensor.pad %r low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index, %m: index):
    tensor.yield %zero : f32
  } : tensor<1x2x5x5x16xf32> to tensor<1x2x7x7x16xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, y, x, n, v, u) -> (a, b, y + v, x + u, n)>, affine_map<(a, b, y, x, n, v, u) -> (v, u)>, affine_map<(a, b, y, x, n, v, u) -> (a, b, y, x, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %window : tensor<1x2x7x7x16xf32>, tensor<3x3xf32>) outs(%f : tensor<1x2x5x5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<1x2x5x5x16xf32>
  return %s : tensor<1x2x5x5x16xf32>
}

//--- foreign.mlir
// What is inside of an op of another dialect stays there, pads too. A reader in
// there keeps a value from being written into its pad.

// CHECK-LABEL: func.func @foreign
// CHECK:       call @{{.*}}elementwise(%{{.*}}) : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
// CHECK:       call @{{.*}}pooling
// CHECK:       "other.op"
// CHECK:       %[[IN:.*]] = linalg.generic
// CHECK:       tensor.pad %[[IN]] low
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    tensor.yield
// CHECK-NEXT:  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
func.func @foreign(%x: tensor<1x8x6x6xf32>) -> (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x6x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %v = linalg.exp ins(%x : tensor<1x8x6x6xf32>) outs(%e : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %p = tensor.pad %v low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
  %s = linalg.pooling_nchw_sum ins(%p, %window : tensor<1x8x8x8xf32>, tensor<3x3xf32>) outs(%f : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %r = "other.op"() ({
    %u = linalg.exp ins(%v : tensor<1x8x6x6xf32>) outs(%e : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    %q = tensor.pad %u low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %zero : f32
    } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
    %t = linalg.pooling_nchw_sum ins(%q, %window : tensor<1x8x8x8xf32>, tensor<3x3xf32>) outs(%f : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    "other.yield"(%t) : (tensor<1x8x6x6xf32>) -> ()
  }) : () -> tensor<1x8x6x6xf32>
  return %s, %r : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>
}

//--- left.mlir
// What nobody computes, what the caller gets too, and pads that are much larger
// than what they pad stay with their readers.

// CHECK-LABEL: func.func @argument
// CHECK: call @{{.*}}conv_2d_nchw_fchw(%{{.*}}) : (tensor<1x8x6x6xf32>,
func.func @argument(%v: tensor<1x8x6x6xf32>, %w: tensor<8x8x3x3xf32>, %f: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %v low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) outs(%f : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  return %c : tensor<1x8x6x6xf32>
}

// CHECK-LABEL: func.func @returned
// CHECK: call @{{.*}}elementwise(%{{.*}}) : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
func.func @returned(%x: tensor<1x8x6x6xf32>, %w: tensor<8x8x3x3xf32>, %f: tensor<1x8x6x6xf32>) -> (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %v = math.exp %x : tensor<1x8x6x6xf32>
  %p = tensor.pad %v low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) outs(%f : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  return %v, %c : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>
}

// CHECK-LABEL: func.func @large
// CHECK: call @{{.*}}elementwise(%{{.*}}) : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
func.func @large(%x: tensor<1x8x6x6xf32>, %w: tensor<8x8x3x3xf32>, %f: tensor<1x8x11x11xf32>) -> tensor<1x8x11x11xf32> {
  %zero = arith.constant 0.0 : f32
  %v = math.exp %x : tensor<1x8x6x6xf32>
  %p = tensor.pad %v low[0, 0, 4, 4] high[0, 0, 3, 3] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x13x13xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x8x13x13xf32>, tensor<8x8x3x3xf32>) outs(%f : tensor<1x8x11x11xf32>) -> tensor<1x8x11x11xf32>
  return %c : tensor<1x8x11x11xf32>
}

// CHECK-LABEL: func.func @only_returned
// CHECK: call @{{.*}}elementwise(%{{.*}}) : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
func.func @only_returned(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %v = math.exp %x : tensor<1x8x6x6xf32>
  %p = tensor.pad %v low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
  return %p : tensor<1x8x8x8xf32>
}
