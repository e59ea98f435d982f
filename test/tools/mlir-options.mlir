// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every tool that reads MLIR takes MLIR's options that look at passes.
// RUN: diffuse-compile %s --emit=llvm -o %t.ll --mlir-print-ir-after=one-shot-bufferize 2>&1 | FileCheck %s --check-prefix=IR
// RUN: diffuse-run %s --mlir-print-ir-after=one-shot-bufferize 2>&1 | FileCheck %s --check-prefix=IR
// RUN: diffuse-compile %s --emit=llvm -o %t.ll --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: diffuse-run %s --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: diffuse-tune %s --budget=0 --records=none --progress=none -o %t.mlir --mlir-timing --mlir-print-ir-after-all
// RUN: diffuse-opt %s --canonicalize --mlir-timing --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING

// IR: IR Dump After OneShotBufferize
// TIMING: Execution time report
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
