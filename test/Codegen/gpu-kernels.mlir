// A matrix product with bias and ReLU under the default schedule. PTX is the
// same with and without a CUDA Toolkit.

// RUN: diffuse-compile %s --target=nvidia:sm_80 --emit=ptx -o %t.80.ptx
// RUN: FileCheck %s --check-prefixes=CHECK,SM80 < %t.80.ptx
// RUN: FileCheck %s --check-prefix=LAUNCH < %t.80.ptx.launches.json
// RUN: env CUDA_HOME=/nonexistent diffuse-compile %s --target=nvidia:sm_80 --emit=ptx -o - | diff - %t.80.ptx
// RUN: diffuse-compile %s --target=nvidia:sm_90 --emit=ptx -o %t.90.ptx
// RUN: FileCheck %s --check-prefixes=CHECK,SM90 < %t.90.ptx
// RUN: env CUDA_HOME=/nonexistent diffuse-compile %s --target=nvidia:sm_90 --emit=ptx -o - | diff - %t.90.ptx

// SM80:      .target sm_80
// SM90:      .target sm_90
// CHECK:     .visible .entry diffuse_sg_[[HASH:[0-9a-f]+]](
// CHECK-DAG: diffuse_sg_[[HASH]]_param_3
// CHECK:     .maxntid
// CHECK-NOT: call
// CHECK:     fma.rn.f32
// CHECK:     st.global.b32

// Parameters are the arguments of the subgraph, in their order.

// LAUNCH:      "target": "nvidia:sm_80"
// LAUNCH:      "arguments"
// LAUNCH:        "name": "arg0"
// LAUNCH:        "kind": "destination"
// LAUNCH-NEXT:   "name": "arg3"
// LAUNCH:      "launches"
// LAUNCH:        "block"
// LAUNCH:        "grid"
// LAUNCH:        "kernel": "diffuse_sg_{{[0-9a-f]+}}"
// LAUNCH-NEXT:   "shared_bytes": 0
// LAUNCH:      "subgraph": "subgraph_0_contraction"
func.func @main(%a: tensor<128x512xf32>, %b: tensor<512x256xf32>, %bias: tensor<256xf32>) -> tensor<128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x256xf32>) -> tensor<128x256xf32>
  %product = linalg.matmul ins(%a, %b : tensor<128x512xf32>, tensor<512x256xf32>) outs(%init : tensor<128x256xf32>) -> tensor<128x256xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<128x256xf32>, tensor<256xf32>) outs(%empty : tensor<128x256xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %sum = arith.addf %x, %y : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<128x256xf32>
  return %result : tensor<128x256xf32>
}
