// Functions dissolve into those that call them, as deep as they go; private
// ones that nobody calls any more go. Recursive ones and outlined modules stay,
// and so does what would become too large.
//
// RUN: split-file %s %t
// RUN: diffuse-opt --diffuse-inline-helpers %t/nested.mlir | FileCheck %t/nested.mlir
// RUN: diffuse-opt --diffuse-inline-helpers %t/kept.mlir | FileCheck %t/kept.mlir
// RUN: %python -c "print('\n'.join('func.func private @f%%d(%%%%x: f32) -> f32 { %%%%0 = call @f%%d(%%%%x) : (f32) -> f32 %%%%1 = call @f%%d(%%%%0) : (f32) -> f32 return %%%%1 : f32 }' %% (i, i + 1, i + 1) for i in range(40)) + '\nfunc.func private @f40(%%x: f32) -> f32 { return %%x : f32 }')" > %t/doubling.mlir
// RUN: diffuse-opt --diffuse-inline-helpers %t/doubling.mlir | FileCheck %s --check-prefix=DOUBLING
// DOUBLING: func.func private @f0
// DOUBLING: call @f1
// DOUBLING: func.func private @f40
//
// A layer in a function of its own is packed as it would be without.
// RUN: diffuse-opt --diffuse-inline-helpers --diffuse-pack-layouts="target=cpu:x86-64-v3 always" %t/layer.mlir | FileCheck %t/layer.mlir
// RUN: diffuse-run --check --layouts=blocked %t/layer.mlir | FileCheck %t/layer.mlir --check-prefix=AGREE

//--- nested.mlir
// CHECK-NOT: @relu
// CHECK-NOT: @layer
// CHECK: func.func @main
// CHECK: linalg.fill
// CHECK: arith.maximumf
// CHECK: arith.maximumf
// CHECK-NOT: call
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.maximumf %x, %zero : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 1.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %r = call @relu(%f) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = call @layer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

//--- kept.mlir
// CHECK: func.func private @again
// CHECK: call @again
// CHECK: func.func private @asked_for
// CHECK: func.func @main
// CHECK: call @asked_for
func.func private @again(%n: i64, %x: f32) -> f32 {
  %one = arith.constant 1 : i64
  %m = arith.subi %n, %one : i64
  %c = arith.cmpi sgt, %n, %one : i64
  %r = scf.if %c -> f32 {
    %y = func.call @again(%m, %x) : (i64, f32) -> f32
    scf.yield %y : f32
  } else {
    scf.yield %x : f32
  }
  return %r : f32
}
func.func private @asked_for(%x: f32) -> f32 attributes {no_inline} {
  return %x : f32
}
func.func @main(%n: i64, %x: f32) -> f32 {
  %a = call @again(%n, %x) : (i64, f32) -> f32
  %b = call @asked_for(%a) : (f32) -> f32
  return %b : f32
}

//--- layer.mlir
// CHECK: linalg.pack
// CHECK: linalg.generic
// AGREE: answers agree
func.func private @layer(%x: tensor<1x16x10x10xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x10x10xf32>, tensor<32x16x3x3xf32>) outs(%f : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  return %r : tensor<1x32x8x8xf32>
}
func.func @main(%x: tensor<1x16x10x10xf32>, %w: tensor<32x16x3x3xf32> {diffuse.parameter}) -> tensor<1x32x8x8xf32> {
  %r = call @layer(%x, %w) : (tensor<1x16x10x10xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32>
  return %r : tensor<1x32x8x8xf32>
}
