// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: diffuse-run %s --check --bench=0.01 --json | FileCheck %s
// RUN: diffuse-run %s --profile | FileCheck %s --check-prefix=PROFILE
// RUN: diffuse-run %s --profile --json | FileCheck %s --check-prefix=PROFILEJSON
// RUN: diffuse-run %s --output=%t. && diffuse-run %s --expected=%t.0.npy | FileCheck %s --check-prefix=AGREE
// RUN: not diffuse-run %s --seed=1 --expected=%t.0.npy 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: diffuse-run %s --entry=grow --extents=5 --check | FileCheck %s --check-prefix=AGREE
// RUN: not diffuse-run %s --entry=grow 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not diffuse-run %s --threads=2 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not diffuse-run %s --bench=-1 2>&1 | FileCheck %s --check-prefix=BENCH
// RUN: not diffuse-run %t.0.npy 2>&1 | FileCheck %s --check-prefix=NOMODULE

// CHECK: {"check":{"max_rel_error":{{.*}},"ok":true},"median_us":{{.*}},"min_us":{{.*}},"p90_us":{{.*}},"p99_us":
// PROFILE: median us  share  call  subgraph
// PROFILE-NEXT: 0  subgraph_
// PROFILEJSON: "profile":[{"call":0,
// AGREE: answers agree
// DIFFER: 'result0' differs at element
// EXTENTS: 'arg0' has dynamic extents: give --input or --extents
// THREADS: --threads=2 is not supported yet
// BENCH: --bench does not take
// NOMODULE: error:
func.func @main(%a: tensor<24x40xf32>, %b: tensor<40x32xf32>) -> tensor<24x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<24x32xf32>) -> tensor<24x32xf32>
  %r = linalg.matmul ins(%a, %b : tensor<24x40xf32>, tensor<40x32xf32>) outs(%f : tensor<24x32xf32>) -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}
func.func @grow(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %x = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.concat dim(0) %x, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
