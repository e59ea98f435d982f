// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command line and the input can get wrong: 2 for the former, 1 for
// the latter, and no output.
// RUN: split-file %s %t
// RUN: not diffuse-compile 2>&1 | FileCheck %s --check-prefix=NOINPUT
// RUN: not diffuse-compile %t/matmul.mlir 2>&1 | FileCheck %s --check-prefix=NOOUTPUT
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --emit=stone 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --threads=2 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --opt-level=7 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --denormals=maybe 2>&1 | FileCheck %s --check-prefix=DENORMALS
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --schedules=best 2>&1 | FileCheck %s --check-prefix=SCHEDULES
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --layouts=nchw 2>&1 | FileCheck %s --check-prefix=LAYOUTS
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --on-unscheduled=cry 2>&1 | FileCheck %s --check-prefix=UNSCHEDULED
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --records=r.jsonl --schedules=none 2>&1 | FileCheck %s --check-prefix=RECORDS
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --embed-parameters 2>&1 | FileCheck %s --check-prefix=EMBED
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --model=a-b 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --target=nvidia:sm_90 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not diffuse-compile %t/matmul.mlir -o %t/x.so --on-unscheduled=error 2>&1 | FileCheck %s --check-prefix=NOSCHEDULE
// RUN: not diffuse-compile %t/scalars.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not diffuse-compile %t/unranked.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=UNRANKED
// RUN: not diffuse-compile %t/wide.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not diffuse-compile %t/external.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: mkdir %t/empty && sh -c 'cp "$(command -v diffuse-compile)" %t'
// RUN: not sh -c 'PATH=%t/empty exec %t/diffuse-compile %t/matmul.mlir -o %t/x.so' 2>&1 | FileCheck %s --check-prefix=COMPILER
// RUN: not ls %t/x.so

// NOINPUT: no input; usage: diffuse-compile
// NOOUTPUT: no output; name one with -o
// EMIT: --emit does not take 'stone'; it takes so, obj, llvm
// THREADS: --threads=2 is not supported yet
// LEVEL: --opt-level does not take '7'; it takes 0 to 3
// DENORMALS: --denormals does not take 'maybe'; it takes preserve, flush
// SCHEDULES: --schedules does not take 'best'; it takes tuned, default, none
// LAYOUTS: --layouts does not take 'nchw'; it takes auto, blocked, plain
// UNSCHEDULED: --on-unscheduled does not take 'cry'; it takes default, error
// RECORDS: --records gives tuned schedules; it does not go with --schedules=none
// EMBED: --parameters=FILE and --embed-parameters go together
// MODEL: --model does not take 'a-b'
// GPU: --emit=so does not go with --target=nvidia:sm_90
// NOSCHEDULE: matmul.mlir{{.*}}error: subgraph '{{.*}}' has no schedule, and --on-unscheduled=error was given
// NOTHING: nothing to compile: the module has no op on tensors
// UNRANKED: error: argument #1 has the unranked type 'memref<*xf32>'
// WIDE: error: argument #1 has type 'complex<f64>', which cannot be passed by value
// COMPILER: error: {{.*}}cannot find the program 'cc' in {{.*}}cannot find the program 'gcc' in
// EXTERNAL: error: the module calls 'elsewhere', which it only declares and neither libc nor libm defines: give it a body

//--- matmul.mlir
func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x6xf32>) outs(%c : tensor<8x6xf32>) -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}
//--- scalars.mlir
func.func @main(%a: f32) -> f32 {
  return %a : f32
}
//--- unranked.mlir
func.func @main(%a: tensor<4xf32>, %b: memref<*xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- wide.mlir
func.func @main(%a: tensor<4xf32>, %b: complex<f64>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- external.mlir
func.func private @elsewhere(tensor<4xf32>)
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  call @elsewhere(%r) : (tensor<4xf32>) -> ()
  return %r : tensor<4xf32>
}
