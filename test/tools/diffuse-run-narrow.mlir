// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers below eight bits: seeded, read from and written to int8 files.
// RUN: %python -c "import numpy as n; n.save('%t.x.npy', n.array([-8, -1, 3, 7], n.int8)); n.save('%t.big.npy', n.array([0, 0, 16, 0], n.int8))"
// RUN: diffuse-run %s --check | FileCheck %s
// RUN: diffuse-run %s --input=%t.x.npy --output=%t.r
// RUN: %python -c "import numpy as n; r = n.load('%t.r0.npy'); assert r.dtype == n.int8 and list(r) == [0, -2, 6, -2], r"
// RUN: %python -c "import numpy as n; r = n.load('%t.r1.npy'); assert r.dtype == n.int8 and list(r) == [-8, -1, 3, 7], r"
// RUN: diffuse-run %s --input=%t.x.npy --expected=%t.r0.npy | FileCheck %s
// RUN: not diffuse-run %s --input=%t.big.npy 2>&1 | FileCheck %s --check-prefix=BIG
// CHECK: answers agree
// BIG: holds 16 at element 2, and 'arg0' of type i4 takes -8 to 15
func.func @main(%x: tensor<4xi4>) -> (tensor<4xi4>, tensor<4xi8>) {
  %r = arith.addi %x, %x : tensor<4xi4>
  %w = arith.extsi %x : tensor<4xi4> to tensor<4xi8>
  return %r, %w : tensor<4xi4>, tensor<4xi8>
}
