// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What no entry can hold is refused where it stands, by the pass and by tools.
// RUN: split-file %s %t
// RUN: not diffuse-opt %t/mutable.mlir --diffuse-lower-to-llvm 2>&1 | FileCheck %s --check-prefix=MUTABLE
// RUN: not diffuse-run %t/mutable.mlir 2>&1 | FileCheck %s --check-prefix=MUTABLE
// RUN: not diffuse-tune %t/mutable.mlir --budget=0 --records=none -o %t/o.mlir 2>&1 | FileCheck %s --check-prefix=MUTABLE
// RUN: not diffuse-run %t/buffer.mlir 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: not diffuse-run %t/elsewhere.mlir 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// RUN: diffuse-run %t/constant.mlir --check | FileCheck %s --check-prefix=AGREE
// RUN: not diffuse-run %t/huge.mlir 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not diffuse-tune %t/huge.mlir --budget=0 --records=none -o %t/o.mlir 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not diffuse-opt %t/huge.mlir --diffuse-lower-to-llvm 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not diffuse-opt %t/sum.mlir --diffuse-lower-to-llvm 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not diffuse-run %t/short.mlir 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not diffuse-tune %t/short.mlir --budget=0 --records=none -o %t/o.mlir 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not diffuse-opt %t/short.mlir --diffuse-hash-subgraphs 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not diffuse-compile %t/splat.mlir -o %t/o.mlir 2>&1 | FileCheck %s --check-prefix=SPLAT
// RUN: not ls %t/o.mlir

// MUTABLE: mutable.mlir:1:{{.*}}error: global 'g' can change: handles of a compiled model share nothing
// BUFFER: buffer.mlir:1:{{.*}}error: global 'g' can change
// ELSEWHERE: elsewhere.mlir:1:{{.*}}error: global 'g' has no value in this module
// AGREE: answers agree
// HUGE: huge.mlir:2:{{.*}}error: type 'tensor<4294967296x4294967297xf32>' takes more than 140737488355328 bytes
// SUM: sum.mlir:{{.*}}error: temporaries of 'main' up to this one, of type 'memref<17592186044416xf32>', need more than 140737488355328 bytes
// SHORT: short.mlir:2:{{.*}}error: resource 'blob' holds 8 bytes where a constant of type 'tensor<40xf32>' takes 160

// SPLAT: splat.mlir:2:{{.*}}error: constant of type 'tensor<1099511627776x3xf32>' takes 13194139533312 bytes, more than the 2147483648 that code can reach; make it an argument

//--- splat.mlir
func.func @main(%x: tensor<1099511627776x3xf32>) -> tensor<1099511627776x3xf32> {
  %c = arith.constant dense<2.0> : tensor<1099511627776x3xf32>
  %r = arith.addf %x, %c : tensor<1099511627776x3xf32>
  return %r : tensor<1099511627776x3xf32>
}
//--- mutable.mlir
ml_program.global private mutable @g(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  ml_program.global_store @g = %a : tensor<4xf32>
  %g = ml_program.global_load @g : tensor<4xf32>
  %q = arith.addf %g, %a : tensor<4xf32>
  return %q : tensor<4xf32>
}
//--- buffer.mlir
memref.global @g : memref<4xf32> = dense<0.0>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0 : index
  %m = memref.get_global @g : memref<4xf32>
  %v = memref.load %m[%c] : memref<4xf32>
  %t = tensor.splat %v : tensor<4xf32>
  %q = arith.addf %t, %a : tensor<4xf32>
  memref.store %v, %m[%c] : memref<4xf32>
  return %q : tensor<4xf32>
}
//--- elsewhere.mlir
memref.global "private" @g : memref<4xf32>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0 : index
  %m = memref.get_global @g : memref<4xf32>
  %v = memref.load %m[%c] : memref<4xf32>
  %t = tensor.splat %v : tensor<4xf32>
  %q = arith.addf %t, %a : tensor<4xf32>
  return %q : tensor<4xf32>
}
//--- constant.mlir
ml_program.global private @g(dense<3.0> : tensor<4xf32>) : tensor<4xf32>
memref.global constant @h : memref<4xf32> = dense<2.0>
memref.global @unused : memref<4xf32> = dense<2.0>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0 : index
  %g = ml_program.global_load @g : tensor<4xf32>
  %m = memref.get_global @h : memref<4xf32>
  %v = memref.load %m[%c] : memref<4xf32>
  %t = tensor.splat %v : tensor<4xf32>
  %p = arith.addf %g, %a : tensor<4xf32>
  %q = arith.addf %p, %t : tensor<4xf32>
  return %q : tensor<4xf32>
}
//--- huge.mlir
func.func @main(%x: tensor<4294967297xf32>) -> tensor<4294967296xf32> {
  %e = tensor.empty() : tensor<4294967296x4294967297xf32>
  %b = linalg.broadcast ins(%x : tensor<4294967297xf32>) outs(%e : tensor<4294967296x4294967297xf32>) dimensions = [0]
  %s = tensor.extract_slice %b[0, 0] [4294967296, 1] [1, 1] : tensor<4294967296x4294967297xf32> to tensor<4294967296xf32>
  return %s : tensor<4294967296xf32>
}
//--- sum.mlir
func.func private @fill(%v: f32, %d: tensor<17592186044416xf32> {diffuse.destination})
    -> tensor<17592186044416xf32> attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<17592186044416xf32>
  %r = linalg.fill ins(%v : f32) outs(%e : tensor<17592186044416xf32>) -> tensor<17592186044416xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<17592186044416xf32>, tensor<17592186044416xf32>) -> tensor<17592186044416xf32>
  return %m : tensor<17592186044416xf32>
}
func.func @main(%v: f32, %i: index) -> f32 {
  %e = tensor.empty() : tensor<17592186044416xf32>
  %a = call @fill(%v, %e) : (f32, tensor<17592186044416xf32>) -> tensor<17592186044416xf32>
  %x = tensor.extract %a[%i] : tensor<17592186044416xf32>
  %b = call @fill(%x, %e) : (f32, tensor<17592186044416xf32>) -> tensor<17592186044416xf32>
  %y = tensor.extract %a[%i] : tensor<17592186044416xf32>
  %z = tensor.extract %b[%i] : tensor<17592186044416xf32>
  %s = arith.addf %y, %z : f32
  return %s : f32
}
//--- short.mlir
func.func @main() -> tensor<40xf32> {
  %a = arith.constant dense_resource<blob> : tensor<40xf32>
  %q = math.exp %a : tensor<40xf32>
  return %q : tensor<40xf32>
}
{-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-}
