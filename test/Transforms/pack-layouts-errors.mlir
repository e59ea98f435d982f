// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not diffuse-opt %s --diffuse-pack-layouts=target=x86-64-v3 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not diffuse-opt %s --diffuse-pack-layouts=target=cpu:z80 2>&1 | FileCheck %s --check-prefix=PROCESSOR
// RUN: not diffuse-opt %s --diffuse-pack-layouts=target=nvidia:sm_70 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not diffuse-opt %s --diffuse-pack-layouts=target= 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not diffuse-opt %s --pass-pipeline='builtin.module(diffuse-tune-pipeline{target=cpu:z80 budget=0})' 2>&1 | FileCheck %s --check-prefix=PROCESSOR

// KIND: pack-layouts-errors.mlir:{{.*}}: error: {{.*}}'x86-64-v3'
// PROCESSOR: pack-layouts-errors.mlir:{{.*}}: error: {{.*}}z80
// GPU: pack-layouts-errors.mlir:{{.*}}: error: unknown target 'nvidia:sm_70'
// NONE: pack-layouts-errors.mlir:{{.*}}: error: {{.*}}''
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
