// Every named pipeline from linalg on tensors, in diffuse-opt and through the
// plugin.

// RUN: diffuse-opt %s --diffuse-tune-pipeline="target=cpu:x86-64-v3 budget=0" \
// RUN:   | FileCheck %s --check-prefix=TUNED
// RUN: mlir-opt %s --load-pass-plugin=%diffuse_lib/DiffusePlugin.so \
// RUN:   --pass-pipeline='builtin.module(diffuse-tune-pipeline{target=cpu:x86-64-v3 budget=0})' \
// RUN:   | FileCheck %s --check-prefix=TUNED
// TUNED: diffuse.provenance
// TUNED: diffuse.schedule = @diffuse_schedules::@[[NAME:subgraph_0_contraction]]__tensor
// TUNED: transform.named_sequence @[[NAME]]__tensor

// The options are those of the last pass.
// RUN: not diffuse-opt %s --diffuse-tune-pipeline="target=cpu:x86-64-v3 budget=0 only=elsewhere" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONLY
// ONLY: 'elsewhere' matches no subgraph
// RUN: not diffuse-opt %s --diffuse-tune-pipeline="colour=red" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: no such option colour

// RUN: diffuse-opt %s --diffuse-tune-pipeline="target=cpu:x86-64-v3 budget=0" \
// RUN:   --diffuse-to-llvm="target=cpu:x86-64-v3" | FileCheck %s --check-prefix=LLVM
// LLVM: @diffuse_entry(
// LLVM: vector<

func.func @main(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
