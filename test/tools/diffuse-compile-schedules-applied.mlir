// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function whose schedule was applied before it had a hash cannot be found by
// one.
// RUN: rm -rf %t && not diffuse-compile %s --emit=schedules -o %t 2>&1 | FileCheck %s
// RUN: test ! -e %t
// CHECK: :[[#@LINE+7]]:{{[0-9]+}}: error: 'square' has no hash to be found by, for its schedule was applied already; emit schedules before diffuse-apply-schedules
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %r = call @square(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
  func.func private @square(%x: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.applied, diffuse.subgraph, no_inline} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
    %p = arith.mulf %v, %v : vector<4xf32>
    %w = vector.transfer_write %p, %d[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
    return %w : tensor<4xf32>
  }
}
