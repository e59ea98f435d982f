// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the numerics mode allows stands on each operation, and nowhere else.
// RUN: diffuse-compile %s --target=cpu:x86-64-v3 --schedules=none --emit=obj -o %t.o \
// RUN:   --mlir-print-ir-before=convert-arith-to-llvm 2>&1 | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: diffuse-compile %s --target=cpu:x86-64-v3 --schedules=none --emit=obj -o %t.o --numerics=strict \
// RUN:   --mlir-print-ir-before=convert-arith-to-llvm 2>&1 | FileCheck %s --check-prefixes=CHECK,STRICT

// A pair of casts rounds, and stays.
// CHECK:        arith.divf %{{[^ ]*}}, %{{[^ ]*}} : f32
// CHECK:        arith.truncf %{{[^ ]*}} : f32 to f16
// CHECK:        arith.extf %{{[^ ]*}} : f16 to f32

// A sum is added up in any order; what is added to it is fused.
// DEFAULT:      arith.mulf {{.*}} fastmath<contract> : f32
// DEFAULT:      arith.mulf {{.*}} fastmath<contract> : f32
// DEFAULT:      arith.addf {{.*}} fastmath<reassoc,contract>
// STRICT:       arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f32
// STRICT:       arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f32
// STRICT:       arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f32
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    %h = arith.truncf %q : f32 to f16
    %s = arith.extf %h : f16 to f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %dot = linalg.generic {indexing_maps = [#id, #id, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %p : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r, %dot : tensor<8xf32>, tensor<f32>
}
