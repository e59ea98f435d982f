// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library for a processor that this machine is not says what it lacks.
// REQUIRES: no-amx, no-avxifma
// RUN: mkdir -p %t
// RUN: diffuse-compile %s --target=cpu:diamondrapids -o %t/diamond.so
// RUN: not diffuse-run %t/diamond.so 2>&1 | FileCheck %s -DCPU=diamondrapids -DFEATURE=amx-avx512
// RUN: diffuse-compile %s --target=cpu:graniterapids -o %t/granite.so
// RUN: not diffuse-run %t/granite.so 2>&1 | FileCheck %s -DCPU=graniterapids -DFEATURE=amx-bf16
// RUN: diffuse-compile %s --target=cpu:sierraforest -o %t/sierra.so
// RUN: not diffuse-run %t/sierra.so 2>&1 | FileCheck %s -DCPU=sierraforest -DFEATURE=avxifma
// RUN: diffuse-compile %s --target=cpu:sierraforest --emit=obj -o %t/sierra.o
// RUN: cc -shared -o %t/linked.so %t/sierra.o -lm
// RUN: not diffuse-run %t/linked.so 2>&1 | FileCheck %s -DCPU=sierraforest -DFEATURE=avxifma

// CHECK: error: this model was compiled for cpu:[[CPU]] and needs the CPU feature [[FEATURE]], which this machine lacks
// CHECK-NOT: {{.}}

// The interface, which says so, runs on all of them.
// RUN: mkdir -p %t/bin
// RUN: printf '#!/bin/sh\nexec /usr/bin/cc -march=x86-64-v3 "$@"\n' > %t/bin/cc && chmod +x %t/bin/cc
// RUN: bash -c 'PATH=%t/bin:$PATH diffuse-compile %s --target=cpu:x86-64 -o %t/plain.so'
// RUN: llvm-objdump -d %t/plain.so | FileCheck %s --check-prefix=PLAIN
// PLAIN: <diffuse_plain_create>:
// PLAIN-NOT: {{%[yz]mm|[[:space:]](v[a-z]+|[a-z]+x)[[:space:]].*%xmm}}
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
