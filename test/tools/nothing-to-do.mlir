// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module that computes nothing on tensors is refused by every tool; one that
// has effects can be run all the same.
// RUN: split-file %s %t
// RUN: not diffuse-run %t/identity.mlir 2>&1 | FileCheck %s
// RUN: not diffuse-compile %t/identity.mlir -o %t/o.so 2>&1 | FileCheck %s
// RUN: not diffuse-tune %t/identity.mlir --budget=0 --records=none -o %t/o.mlir 2>&1 | FileCheck %s
// RUN: not diffuse-run %t/no-result.mlir 2>&1 | FileCheck %s
// RUN: not diffuse-compile %t/no-result.mlir -o %t/o.so 2>&1 | FileCheck %s
// RUN: not diffuse-tune %t/no-result.mlir --budget=0 --records=none -o %t/o.mlir 2>&1 | FileCheck %s
// RUN: not diffuse-run %t/nothing.mlir 2>&1 | FileCheck %s
// RUN: not diffuse-compile %t/nothing.mlir -o %t/o.so 2>&1 | FileCheck %s
// RUN: not diffuse-tune %t/nothing.mlir --budget=0 --records=none -o %t/o.mlir 2>&1 | FileCheck %s
// RUN: not diffuse-run %t/scalars.mlir 2>&1 | FileCheck %s
// RUN: not diffuse-compile %t/scalars.mlir -o %t/o.so 2>&1 | FileCheck %s
// RUN: not diffuse-tune %t/scalars.mlir --budget=0 --records=none -o %t/o.mlir 2>&1 | FileCheck %s
// RUN: diffuse-run %t/buffers.mlir
// RUN: not diffuse-compile %t/buffers.mlir -o %t/o.so 2>&1 | FileCheck %s
// RUN: not diffuse-tune %t/buffers.mlir --budget=0 --records=none -o %t/o.mlir 2>&1 | FileCheck %s
// RUN: not ls %t/o.so
// RUN: not ls %t/o.mlir

// CHECK: .mlir:{{.*}}error: nothing to {{run|compile|tune}}: the module has no op on tensors that is free of side effects

//--- identity.mlir
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
//--- no-result.mlir
func.func @main(%a: tensor<3xf32>) {
  return
}
//--- nothing.mlir
func.func @main() {
  return
}
//--- scalars.mlir
func.func @main(%a: f32) -> f32 {
  %r = math.exp %a : f32
  return %r : f32
}
//--- buffers.mlir
func.func @main(%a: memref<3xf32>, %b: memref<3xf32>) {
  linalg.exp ins(%a : memref<3xf32>) outs(%b : memref<3xf32>)
  return
}
