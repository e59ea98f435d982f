// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extents of results are computed before a run, without what the run does
// beside them; where they depend on that, they cannot be.
// RUN: split-file %s %t
// RUN: diffuse-run %t/prints.mlir --extents=5 --check | FileCheck %s --check-prefix=ONCE
// RUN: not diffuse-run %t/depends.mlir 2>&1 | FileCheck %s --check-prefix=DEPENDS
// RUN: not diffuse-run %t/memory.mlir 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: diffuse-run %t/reads.mlir --check | FileCheck %s --check-prefix=READS

// Once by the scheduled run, once by the reference.
// ONCE-COUNT-2: sizes = [5]
// ONCE-NOT: sizes = [5]
// ONCE: answers agree
// DEPENDS: depends.mlir:3:{{.*}}error: the extents of a result depend on this op, which has effects
// MEMORY: memory.mlir:{{.*}}error: the extents of a result depend on this op, which reads what others write
// READS: answers agree

//--- prints.mlir
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %u = tensor.cast %x : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %i = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%i : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- depends.mlir
func.func private @rtclock() -> f64
func.func @main(%x: f32) -> tensor<?xf32> {
  %t = call @rtclock() : () -> f64
  %n = arith.fptoui %t : f64 to i8
  %d = arith.index_castui %n : i8 to index
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- memory.mlir
func.func @main(%x: f32, %m: memref<1xi8>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i8
  memref.store %c3, %m[%c0] : memref<1xi8>
  %n = memref.load %m[%c0] : memref<1xi8>
  %k = arith.addi %n, %n : i8
  %d = arith.index_castui %k : i8 to index
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- reads.mlir
func.func @main(%x: f32, %m: memref<1xi8>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.load %m[%c0] : memref<1xi8>
  %d = arith.index_castui %n : i8 to index
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
