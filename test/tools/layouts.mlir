// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --layouts of the tools: what they make of a convolution, and the answer.
// RUN: diffuse-tune %s --target=cpu:x86-64-v3 --budget=0 --records=none --progress=none -o %t.blocked.mlir
// RUN: FileCheck %s --check-prefix=BLOCKED < %t.blocked.mlir
// RUN: diffuse-tune %s --target=cpu:x86-64-v3 --layouts=plain --budget=0 --records=none --progress=none -o %t.plain.mlir
// RUN: FileCheck %s --check-prefix=PLAIN < %t.plain.mlir
// RUN: diffuse-opt %s --pass-pipeline='builtin.module(diffuse-tune-pipeline{target=cpu:x86-64-v3 budget=0})' | FileCheck %s --check-prefix=BLOCKED

// A bad value is a matter of usage.
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode != 2)" diffuse-run %s --layouts=nchw
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode != 2)" diffuse-compile %s -o %t.so --layouts=nchw
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode != 2)" diffuse-tune %s -o %t.mlir --layouts=nchw

// Libraries of either layout agree with plain loops.
// RUN: diffuse-compile %s -o %t.blocked.so
// RUN: diffuse-run %t.blocked.so --reference=%s | FileCheck %s
// RUN: diffuse-compile %s --layouts=plain -o %t.plain.so
// RUN: diffuse-run %t.plain.so --reference=%s | FileCheck %s
// RUN: diffuse-run %s --layouts=blocked --check | FileCheck %s
// RUN: diffuse-run %s --layouts=plain --check | FileCheck %s

// A tuned module keeps its layouts.
// RUN: diffuse-run %t.blocked.mlir --layouts=plain --reference=%s | FileCheck %s

// BLOCKED: call @subgraph_{{.*}}pack
// BLOCKED: tensor<1x2x8x8x16xf32>
// PLAIN-NOT: pack
// PLAIN: tensor<1x32x8x8xf32>
// CHECK: answers agree
func.func @main(%x: tensor<1x32x10x10xf32>, %w: tensor<32x32x3x3xf32> {diffuse.parameter}) -> tensor<1x32x8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x32x10x10xf32>, tensor<32x32x3x3xf32>) outs(%f : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  return %c : tensor<1x32x8x8xf32>
}
