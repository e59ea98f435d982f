// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `-o -` is standard output for every kind of output; a name that looks like an
// option is a file.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: diffuse-compile %s -o - > model.so
// RUN: diffuse-compile %s -o model2.so --model=model
// RUN: cmp model.so model2.so
// RUN: diffuse-compile %s --emit=obj -o - > model.o
// RUN: diffuse-compile %s --emit=obj --model=model -o -model.o && cmp model.o ./-model.o
// RUN: diffuse-compile %s --emit=llvm -o - | FileCheck %s
// RUN: ls | FileCheck %s --check-prefix=FILES
// CHECK: define hidden {{.*}}i32 @diffuse_entry(
// FILES-NOT: tmp
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
