// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command line of a run gets wrong, and what a run does.
// RUN: split-file %s %t
// RUN: diffuse-compile %t/model.mlir -o %t/model.so
// RUN: not diffuse-run %t/model.mlir --extents=4 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not diffuse-run %t/model.so --extents=4,5 2>&1 | FileCheck %s --check-prefix=EXTENTS2
// RUN: not diffuse-run %t/model.mlir --check --atol=-1 2>&1 | FileCheck %s --check-prefix=TOLERANCE -DNAME=atol
// RUN: not diffuse-run %t/model.mlir --check --atol=nan 2>&1 | FileCheck %s --check-prefix=TOLERANCE -DNAME=atol
// RUN: not diffuse-run %t/model.mlir --check --rtol=inf 2>&1 | FileCheck %s --check-prefix=TOLERANCE -DNAME=rtol
// RUN: not diffuse-run %t/model.mlir --check --rtol=-0.5 2>&1 | FileCheck %s --check-prefix=TOLERANCE -DNAME=rtol
// RUN: not diffuse-run %t/model.mlir --rtol=1 2>&1 | FileCheck %s --check-prefix=NOCHECK
// RUN: not diffuse-run %t/model.mlir --bench=0 2>&1 | FileCheck %s --check-prefix=BENCH
// RUN: not diffuse-run %t/model.mlir --bench=inf 2>&1 | FileCheck %s --check-prefix=BENCH
// RUN: not diffuse-run %t/model.mlir --bench=soon 2>&1 | FileCheck %s --check-prefix=BENCH
// RUN: not diffuse-run %t/model.mlir --seed=1 --seed=2 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not diffuse-run %t/model.mlir --seed 1 --seed=2 2>&1 | FileCheck %s --check-prefix=TWICE2
// RUN: diffuse-run %t/model.mlir --seed=1 --seed=1
// RUN: not diffuse-run %t/model.mlir --seed=-1 2>&1 | FileCheck %s --check-prefix=SEED
// RUN: not diffuse-run %t/model.mlir --threads=two 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not diffuse-run %t/model.mlir --opt-level=4 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not diffuse-run %t/model.mlir --opt-level=high 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not diffuse-run %t/model.mlir --check --rtol=much 2>&1 | FileCheck %s --check-prefix=TOLERANCE -DNAME=rtol
// RUN: not diffuse-run %t/model.mlir --reference= 2>&1 | FileCheck %s --check-prefix=NOVALUE
// RUN: %python %S/Inputs/status.py diffuse-run %t/model.so --reference=%t/model.so 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: cp %t/model.so %t/model.so.mlir
// RUN: not diffuse-run %t/model.so.mlir 2>&1 | FileCheck %s --check-prefix=BINARY
// RUN: diffuse-opt %t/model.mlir --emit-bytecode -o %t/model.mlirbc
// RUN: diffuse-run %t/model.mlirbc
// RUN: %python -c "import numpy; numpy.save('%t/small.npy', numpy.zeros((2, 3), 'f4')); numpy.save('%t/scalar.npy', numpy.zeros((), 'f4'))"
// RUN: not diffuse-run %t/model.mlir --input=%t/small.npy 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not diffuse-run %t/dynamic.mlir --input=%t/small.npy 2>&1 | FileCheck %s --check-prefix=FIT2
// RUN: not diffuse-run %t/model.mlir --input=%t/scalar.npy 2>&1 | FileCheck %s --check-prefix=FIT3
// RUN: touch %t/empty.st
// RUN: not diffuse-run %t/weights.mlir --parameters=%t/empty.st 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not diffuse-run %t/weights.mlir --parameters=%t 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not diffuse-run %t/model.so --schedules=none 2>&1 | FileCheck %s --check-prefix=LIBRARY -DNAME=schedules
// RUN: not diffuse-run %t/model.so --layouts=plain 2>&1 | FileCheck %s --check-prefix=LIBRARY -DNAME=layouts
// RUN: not diffuse-run %t/model.mlir --layouts=nchw 2>&1 | FileCheck %s --check-prefix=LAYOUTS
// RUN: not diffuse-run %t/model.so --opt-level=1 2>&1 | FileCheck %s --check-prefix=LIBRARY -DNAME=opt-level
// RUN: not diffuse-run %t/model.so --entry=main 2>&1 | FileCheck %s --check-prefix=LIBRARY -DNAME=entry
// RUN: not diffuse-run %t/model.so --denormals=flush 2>&1 | FileCheck %s --check-prefix=DENORMALS
// RUN: diffuse-run %t/model.so --denormals=preserve --numerics=default
// RUN: not diffuse-run %t/scalars.mlir 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not diffuse-run %t/several.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: diffuse-run %t/prints.mlir | FileCheck %s --check-prefix=PRINTS

// EXTENTS: --extents gives 1 extents where 0 are dynamic and not given by --input
// EXTENTS2: --extents gives 2 extents where 0 are dynamic
// TOLERANCE: --[[NAME]] does not take {{.*}}; it takes a number from 0 on
// SEED: diffuse-run: error: --seed does not take '-1'; it takes a whole number from 0 on
// THREADS: error: --threads does not take 'two'; it takes a whole number from 0 on
// LEVEL: error: --opt-level does not take '{{4|high}}'; it takes 0 to 3
// NOVALUE: error: --reference is given without a value
// REFERENCE: error: --reference takes a module, whose plain loops are compared with; '{{.*}}model.so' is a library
// REFERENCE: status 2
// BINARY-NOT: {{.}}
// BINARY: error: '{{.*}}model.so.mlir' is a binary file, where a module is wanted
// BINARY-NOT: {{.}}
// FIT: error: '{{.*}}small.npy' does not fit 'arg0': the model takes f32 of extents 4, the file holds f32 of extents 2x3
// FIT2: error: '{{.*}}small.npy' does not fit 'arg0': the model takes f32 of extents ?x4, the file holds f32 of extents 2x3
// FIT3: error: '{{.*}}scalar.npy' does not fit 'arg0': the model takes f32 of extents 4, the file holds f32 of rank 0
// EMPTY: empty.st' is empty, where a safetensors file is wanted
// FOLDER: is no regular file, where a safetensors file is wanted
// NOCHECK: --rtol is for comparisons: give --check, --expected or --reference
// BENCH: --bench does not take '{{.*}}'; it takes a number of seconds above 0
// TWICE: --seed is given as '1' and as '2'; give it once
// TWICE2: --seed is given as '1' and as '2'; give it once
// LIBRARY: --[[NAME]] is for modules; '{{.*}}model.so' is compiled already
// LAYOUTS: --layouts does not take 'nchw'; it takes auto, blocked, plain
// DENORMALS: --denormals=flush does not go with this library, which was compiled with --denormals=preserve
// NOTHING: scalars.mlir:1:1: error: nothing to run: the module has no op on tensors
// SEVERAL: several.mlir:1:1: error: several functions may be the entry, name one with --entry: a, b
// PRINTS: 7

// A fault in the code is one message.
// RUN: %python -c "import numpy; numpy.save('%t/zero.npy', numpy.zeros(4, numpy.int32))"
// RUN: not diffuse-run %t/divide.mlir --input=%t/zero.npy --input=%t/zero.npy --schedules=none 2>&1 | FileCheck %s --check-prefix=FAULT -DWHERE=divide.mlir
// RUN: diffuse-compile %t/divide.mlir --schedules=none -o %t/divide.so
// RUN: not diffuse-run %t/divide.so --input=%t/zero.npy --input=%t/zero.npy 2>&1 | FileCheck %s --check-prefix=FAULT -DWHERE=divide.so
// RUN: cc -shared -o %t/crash.so %S/Inputs/crash.c
// RUN: not diffuse-run %t/crash.so 2>&1 | FileCheck %s --check-prefix=CRASH
// FAULT-NOT: {{.}}
// FAULT: diffuse-run: error: '{{.*}}[[WHERE]]' ended by SIGFPE (integer division by zero, or one that overflows) in subgraph 'subgraph_0{{.*}}'
// FAULT-NOT: {{.}}
// CRASH-NOT: {{.}}
// CRASH: diffuse-run: error: '{{.*}}crash.so' ended by SIGSEGV (access to memory that is not there){{$}}
// CRASH-NOT: {{.}}

//--- model.mlir
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- dynamic.mlir
func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = arith.addf %a, %a : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
//--- scalars.mlir
func.func @main(%a: f32) -> f32 {
  return %a : f32
}
//--- several.mlir
func.func @a(%a: f32) -> f32 {
  return %a : f32
}
func.func @b(%a: f32) -> f32 {
  return %a : f32
}
//--- prints.mlir
func.func @main() {
  %c = arith.constant 7 : i32
  vector.print %c : i32
  return
}
//--- divide.mlir
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %r = linalg.div ins(%a, %b : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
//--- weights.mlir
func.func @main(%a: tensor<4xf32>, %w: tensor<4xf32> {diffuse.parameter = "w"}) -> tensor<4xf32> {
  %r = arith.addf %a, %w : tensor<4xf32>
  return %r : tensor<4xf32>
}
