// Scores of 5 MB are more than caches hold: attention becomes one subgraph, whose default schedule computes it block by block. What is tuned of it,
// and replayed without the project, gives the same answers.
//
// RUN: diffuse-opt --diffuse-outline-subgraphs %s | FileCheck %s
// RUN: diffuse-opt --diffuse-outline-subgraphs=patterns=never %s | FileCheck %s --check-prefix=NEVER
// RUN: diffuse-run --check %s | FileCheck %s --check-prefix=AGREE
// RUN: rm -rf %t && mkdir %t
// RUN: diffuse-compile %s --emit=schedules -o %t/schedules
// RUN: FileCheck %s --input-file=%t/schedules/schedules.mlir --check-prefix=FUSED
// RUN: mlir-opt %t/schedules/payload.mlir --transform-preload-library='transform-library-paths=%t/schedules/schedules.mlir' --transform-interpreter -o %t/replayed.mlir
// RUN: diffuse-tune %s --budget=6 --seed=3 --progress=none --records=%t/r.jsonl --summary=%t/summary.json -o %t/tuned.mlir
// RUN: FileCheck %s --input-file=%t/summary.json --check-prefix=SUMMARY
// RUN: diffuse-run --check %t/tuned.mlir | FileCheck %s --check-prefix=AGREE
//
// CHECK: call @subgraph_0_attention
// CHECK-NOT: call @
// NEVER: call @subgraph_0_contraction
// NEVER-NOT: attention
// AGREE: answers agree
// FUSED: diffuse.selected = {block = {{[0-9]+}} : i64, fuse = 1 : i64, s0.
// SUMMARY: "sketch": "{{[a-z_]+(\+[a-z_]+)+}}"

func.func @main(%q: tensor<2x1024x64xf32>, %k: tensor<2x640x64xf32>, %v: tensor<2x640x64xf32>) -> tensor<2x1024x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<2x1024x640xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x1024x640xf32>) -> tensor<2x1024x640xf32>
  %scores = linalg.generic {
      indexing_maps = [affine_map<(h, i, j, c) -> (h, i, c)>, affine_map<(h, i, j, c) -> (h, j, c)>, affine_map<(h, i, j, c) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x1024x64xf32>, tensor<2x640x64xf32>) outs(%f : tensor<2x1024x640xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x1024x640xf32>
  %scaled = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<2x1024x640xf32>) outs(%e : tensor<2x1024x640xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %scale : f32
    linalg.yield %m : f32
  } -> tensor<2x1024x640xf32>
  %p = linalg.softmax dimension(2) ins(%scaled : tensor<2x1024x640xf32>) outs(%e : tensor<2x1024x640xf32>) -> tensor<2x1024x640xf32>
  %d = tensor.empty() : tensor<2x1024x64xf32>
  %g = linalg.fill ins(%zero : f32) outs(%d : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x1024x640xf32>, tensor<2x640x64xf32>) outs(%g : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  return %r : tensor<2x1024x64xf32>
}
