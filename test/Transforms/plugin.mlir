// RUN: mlir-opt %s --load-pass-plugin=%diffuse_lib/DiffusePlugin.so --load-dialect-plugin=%diffuse_lib/DiffusePlugin.so --pass-pipeline='builtin.module(diffuse-outline-subgraphs{report=true},diffuse-hash-subgraphs,diffuse-cluster-subgraphs,diffuse-verify-module)' 2>&1 | FileCheck %s
// RUN: mlir-opt %s --load-pass-plugin=%diffuse_lib/DiffusePlugin.so --pass-pipeline='builtin.module(diffuse-outline-subgraphs,diffuse-extract-subgraph{name=subgraph_0_elementwise})' | FileCheck %s --check-prefix=PASS

// One file serves both flags of a plain mlir-opt.

// CHECK: remark: 1 subgraphs, 1 calls
// CHECK: func.func private @subgraph_0_elementwise({{.*}}diffuse.exact_hash
// PASS: func.func private @subgraph_0_elementwise(
// PASS: func.func @main(
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
