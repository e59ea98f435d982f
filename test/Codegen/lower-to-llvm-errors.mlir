// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: not diffuse-opt %t/several.mlir --diffuse-lower-to-llvm 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not diffuse-opt %t/several.mlir --diffuse-lower-to-llvm=entry=third 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not diffuse-opt %t/nothing.mlir --diffuse-lower-to-llvm 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not diffuse-opt %t/several.mlir --diffuse-lower-to-llvm="entry=first target=cpu:toaster" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not diffuse-opt %t/several.mlir --diffuse-lower-to-llvm="entry=first target=nvidia:sm_80" 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not diffuse-opt %t/several.mlir --diffuse-to-llvm="entry=first target=nvidia:sm_80" 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not diffuse-opt %t/several.mlir --diffuse-lower-to-llvm="entry=first numerics=loose" 2>&1 | FileCheck %s --check-prefix=NUMERICS
// RUN: not diffuse-opt %t/layout.mlir --diffuse-lower-to-llvm 2>&1 | FileCheck %s --check-prefix=LAYOUT

// SEVERAL: error: several functions may be the entry, name one with --entry: first, second
// ABSENT: error: no function 'third' with a body; public functions are: first, second
// NOTHING: error: nothing to do: the module has no public function with a body
// TARGET: error: unknown processor 'toaster'
// GPU: error: target 'nvidia:sm_80' is a GPU, for which diffuse-lower-to-nvvm compiles
// NUMERICS: error: {{.*}}'loose'
// LAYOUT: error: argument #0 of type {{.*}} cannot be passed as a bare pointer

//--- several.mlir
func.func @first(%a: f32) -> f32 {
  return %a : f32
}
func.func @second(%a: f32) -> f32 {
  return %a : f32
}
//--- nothing.mlir
func.func private @f(f32)
//--- layout.mlir
func.func @main(%a: memref<4xf32, strided<[2]>>) {
  return
}
