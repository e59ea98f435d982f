// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same module and target give the same bytes in two folders; the library
// shows its interface only; two models link into one program.
// RUN: rm -rf %t && mkdir -p %t/one %t/two
// RUN: diffuse-compile %s -o %t/one/model.so
// RUN: diffuse-compile %s -o %t/two/model.so
// RUN: cmp %t/one/model.so %t/two/model.so
// RUN: llvm-nm -D --defined-only %t/one/model.so | FileCheck %s
// RUN: diffuse-run %t/one/model.so --reference=%s | FileCheck %s --check-prefix=AGREE
// RUN: diffuse-compile %s --schedules=none --emit=obj -o %t/first.o
// RUN: diffuse-compile %s --schedules=none --emit=obj -o %t/second.o
// RUN: llvm-nm --defined-only --extern-only %t/first.o | FileCheck %s --check-prefix=OBJECT
// RUN: cc -shared -Wl,-z,defs -o %t/both.so %t/first.o %t/second.o -lm
// RUN: diffuse-compile %s --emit=llvm --target=cpu:x86-64-v3 -o - | FileCheck %s --check-prefix=LLVM
// RUN: not diffuse-run %s --input=%s 2>&1 | FileCheck %s --check-prefix=NOTNPY

// CHECK-COUNT-6: diffuse_model_
// CHECK-NOT: T
// AGREE: answers agree
// OBJECT-COUNT-6: diffuse_first_
// OBJECT-NOT: T
// LLVM: define hidden {{.*}}i32 @diffuse_entry(
// LLVM: "prefer-vector-width"="256" "target-cpu"="x86-64-v3"
// NOTNPY: diffuse-compile.mlir
func.func @main(%a: tensor<24x40xf32>, %b: tensor<40x32xf32>) -> tensor<24x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<24x32xf32>) -> tensor<24x32xf32>
  %r = linalg.matmul ins(%a, %b : tensor<24x40xf32>, tensor<40x32xf32>) outs(%f : tensor<24x32xf32>) -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}
