// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two sums in one loop: sketches that keep partial sums in lanes take one
// result and decline these.
//
// RUN: diffuse-run %s --check --schedules=default 2>&1 | FileCheck %s
// RUN: diffuse-run %s --check --schedules=default --entry=extremes 2>&1 | FileCheck %s
// RUN: diffuse-run %s --check --schedules=default --entry=columns 2>&1 | FileCheck %s
// RUN: diffuse-tune %s --budget=0 --records=none --progress=none --entry=main -o %t.mlir
// RUN: diffuse-run %t.mlir --check | FileCheck %s
// CHECK-NOT: plain loops
// CHECK: answers agree
#x = affine_map<(d0, d1) -> (d0, d1)>
#o = affine_map<(d0, d1) -> (d0)>
#c = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<65x129xf32>) -> (tensor<65xf32>, tensor<65xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<65xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<65xf32>) -> tensor<65xf32>
  %g = linalg.fill ins(%one : f32) outs(%e : tensor<65xf32>) -> tensor<65xf32>
  %r:2 = linalg.generic {indexing_maps = [#x, #o, #o], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<65x129xf32>) outs(%f, %g : tensor<65xf32>, tensor<65xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32):
    %t = arith.addf %a, %s : f32
    %m = arith.mulf %a, %a : f32
    %u = arith.addf %m, %q : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<65xf32>, tensor<65xf32>)
  return %r#0, %r#1 : tensor<65xf32>, tensor<65xf32>
}
func.func @extremes(%x: tensor<65x129xf32>, %f: tensor<65xf32>, %g: tensor<65xf32>)
    -> (tensor<65xf32>, tensor<65xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#x, #o, #o], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<65x129xf32>) outs(%f, %g : tensor<65xf32>, tensor<65xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32):
    %t = arith.maximumf %a, %s : f32
    %u = arith.minimumf %a, %q : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<65xf32>, tensor<65xf32>)
  return %r#0, %r#1 : tensor<65xf32>, tensor<65xf32>
}
func.func @columns(%x: tensor<65x129xf32>, %f: tensor<129xf32>, %g: tensor<129xf32>)
    -> (tensor<129xf32>, tensor<129xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#x, #c, #c], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<65x129xf32>) outs(%f, %g : tensor<129xf32>, tensor<129xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32):
    %t = arith.addf %a, %s : f32
    %m = arith.mulf %a, %a : f32
    %u = arith.addf %m, %q : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<129xf32>, tensor<129xf32>)
  return %r#0, %r#1 : tensor<129xf32>, tensor<129xf32>
}
