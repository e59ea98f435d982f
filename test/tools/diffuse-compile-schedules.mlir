// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules as files: plain mlir-opt replays them, vectors come out of both
// parts, and the answer is that of plain loops.
// RUN: rm -rf %t && mkdir %t
// RUN: diffuse-compile %s --target=cpu:x86-64-v3 --emit=schedules -o %t/out
// RUN: ls %t | FileCheck %s --check-prefix=FOLDER
// RUN: FileCheck %s --check-prefix=PAYLOAD < %t/out/payload.mlir
// RUN: FileCheck %s --check-prefix=SCHEDULES < %t/out/schedules.mlir
// RUN: FileCheck %s --check-prefix=JSON < %t/out/schedules.json
// RUN: mlir-opt %t/out/payload.mlir --transform-preload-library='transform-library-paths=%t/out/schedules.mlir' --transform-interpreter -o %t/replayed.mlir
// RUN: FileCheck %s --check-prefix=REPLAYED < %t/replayed.mlir
// RUN: mlir-opt %t/replayed.mlir --pass-pipeline='builtin.module(func.func(convert-linalg-to-loops,convert-vector-to-scf{full-unroll=true target-rank=1},lower-affine,convert-scf-to-cf),expand-strided-metadata,lower-affine,convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-ub-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-index-to-llvm,reconcile-unrealized-casts)' -o %t/lowered.mlir
// RUN: mlir-runner %t/lowered.mlir -e main --entry-point-result=void --shared-libs=%llvm_lib/libmlir_runner_utils.so,%llvm_lib/libmlir_c_runner_utils.so | tail -n +2 > %t/replayed.txt
// RUN: diffuse-run %s --schedules=none | tail -n +2 > %t/plain.txt
// RUN: cmp %t/replayed.txt %t/plain.txt && FileCheck %s --check-prefix=ANSWER < %t/plain.txt

// Written anew, whole or not at all.
// RUN: diffuse-compile %s --target=cpu:x86-64-v3 --schedules=none --emit=schedules -o %t/out/
// RUN: FileCheck %s --check-prefix=NONE < %t/out/schedules.json
// RUN: mlir-opt %t/out/payload.mlir --transform-preload-library='transform-library-paths=%t/out/schedules.mlir' --transform-interpreter -o /dev/null
// RUN: ls %t | FileCheck %s --check-prefix=LEFT
// RUN: touch %t/out/notes.txt
// RUN: not diffuse-compile %s --emit=schedules -o %t/out 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not diffuse-compile %s --emit=schedules -o %t/plain.txt 2>&1 | FileCheck %s --check-prefix=NOFOLDER
// RUN: not diffuse-compile %s --emit=schedules -o - 2>&1 | FileCheck %s --check-prefix=STDOUT
// RUN: not diffuse-compile %s --emit=schedules --on-unscheduled=error -o %t/none 2>&1 | FileCheck %s --check-prefix=UNSCHEDULED
// RUN: not ls %t/none

// FOLDER-NOT: tmp
// PAYLOAD-NOT: transform.
// PAYLOAD: call @[[NAME:subgraph_0[a-z_]*]](
// PAYLOAD: func.func private @[[NAME]]({{.*}}diffuse.exact_hash = "
// PAYLOAD-NOT: transform.
// SCHEDULES: module attributes {transform.with_named_sequence}
// SCHEDULES: transform.named_sequence @[[NAME:subgraph_3[a-z_]*]]__tensor(
// SCHEDULES: @__transform_main
// SCHEDULES: transform.structured.match ops{["func.func"]} attributes {diffuse.exact_hash = "
// SCHEDULES: transform.include @[[NAME]]__tensor
// SCHEDULES: transform.bufferization.one_shot_bufferize
// JSON: "exact_hash": "
// JSON: "selected": {
// JSON-NEXT: "{{[a-z]+}}": {{[0-9]+}}
// JSON: "sketch": "
// JSON: "target": "cpu:x86-64-v3"
// REPLAYED-NOT: tensor<
// REPLAYED: vector.transfer_write
// ANSWER: -{{.*}}
// NONE: "scheduled": false
// LEFT-NOT: {{tmp|old}}
// OTHER: cannot write '{{.*}}out': it holds 'notes.txt'; name a folder that is empty or not there
// NOFOLDER: cannot write '{{.*}}plain.txt': it is not a folder
// STDOUT: --emit=schedules writes a folder; name one with -o
// UNSCHEDULED: has no schedule, and --on-unscheduled=error was given
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func @fill(%e: tensor<24x24xf32>, %k: i32) -> tensor<24x24xf32> {
  %r = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<24x24xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    %n = arith.index_cast %s : index to i32
    %m = arith.remsi %n, %k : i32
    %f = arith.sitofp %m : i32 to f32
    linalg.yield %f : f32
  } -> tensor<24x24xf32>
  return %r : tensor<24x24xf32>
}
func.func @main() {
  %z = arith.constant 0.0 : f32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %e = tensor.empty() : tensor<24x24xf32>
  %a = call @fill(%e, %c5) : (tensor<24x24xf32>, i32) -> tensor<24x24xf32>
  %b = call @fill(%e, %c7) : (tensor<24x24xf32>, i32) -> tensor<24x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<24x24xf32>) -> tensor<24x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<24x24xf32>, tensor<24x24xf32>) outs(%f : tensor<24x24xf32>) -> tensor<24x24xf32>
  %v = tensor.empty() : tensor<24xf32>
  %g = linalg.fill ins(%z : f32) outs(%v : tensor<24xf32>) -> tensor<24xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<24x24xf32>) outs(%g : tensor<24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<24x24xf32>, tensor<24xf32>) outs(%e : tensor<24x24xf32>) {
  ^bb0(%x: f32, %t: f32, %o: f32):
    %y = arith.subf %x, %t : f32
    linalg.yield %y : f32
  } -> tensor<24x24xf32>
  %m = bufferization.to_buffer %r : tensor<24x24xf32> to memref<24x24xf32>
  %u = memref.cast %m : memref<24x24xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
