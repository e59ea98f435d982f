// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold in every mode: overflow is not rearranged away, expm1 keeps the
// digits of a small number and the sign of zero, complex functions compile.
// RUN: diffuse-run %s --numerics=strict | FileCheck %s
// RUN: diffuse-run %s --numerics=default | FileCheck %s
// RUN: diffuse-run %s --numerics=fast | FileCheck %s

// CHECK: data =
// CHECK-NEXT: [inf, 1e+20, 1e-07, -0, 5, 1e-07]
func.func private @printMemrefF32(tensor<*xf32>)
#id = affine_map<(d0) -> (d0)>
func.func @main() {
  %x = arith.constant dense<[1.0e20, 1.0, 1.0e-7, -0.0, 3.0, 1.0e-7]> : tensor<6xf32>
  %e = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %large = arith.constant 1.0e30 : f32
    %small = arith.constant 1.0e-30 : f32
    %up = arith.mulf %a, %large : f32
    %back = arith.mulf %up, %small : f32
    %large20 = arith.constant 1.0e20 : f32
    %plain = arith.mulf %a, %large20 : f32
    %m = math.expm1 %a : f32
    %four = arith.constant 4.0 : f32
    %z = complex.create %a, %four : complex<f32>
    %abs = complex.abs %z : complex<f32>
    %zero = arith.constant 0.0 : f32
    %real = complex.create %a, %zero : complex<f32>
    %zm = complex.expm1 %real : complex<f32>
    %zmr = complex.re %zm : complex<f32>
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %is0 = arith.cmpi ult, %i, %c1 : index
    %is1 = arith.cmpi eq, %i, %c1 : index
    %is4 = arith.cmpi eq, %i, %c4 : index
    %s0 = arith.select %is0, %back, %m : f32
    %s1 = arith.select %is1, %plain, %s0 : f32
    %s2 = arith.select %is4, %abs, %s1 : f32
    %c5 = arith.constant 5 : index
    %is5 = arith.cmpi eq, %i, %c5 : index
    %s3 = arith.select %is5, %zmr, %s2 : f32
    linalg.yield %s3 : f32
  } -> tensor<6xf32>
  %u = tensor.cast %r : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
