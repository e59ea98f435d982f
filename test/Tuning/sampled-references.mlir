// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain loops would take seconds here, so answers are checked by tiles, and by
// the first schedule that agrees with them. Every record can be made again.
//
// RUN: rm -rf %t && mkdir %t
// RUN: diffuse-tune %s --layouts=plain --budget=4 --records=%t/r.jsonl --progress=none --summary=%t/s.json -o %t/tuned.mlir
// RUN: FileCheck %s --input-file=%t/s.json
// RUN: FileCheck %s --input-file=%t/r.jsonl --check-prefix=RECORDS
// RUN: diffuse-records reproduce %t/r.jsonl:2 | FileCheck %s --check-prefix=SAME
// RUN: diffuse-run %t/tuned.mlir --check
// CHECK: "measurements": [[COUNT:[1-4]]],
// CHECK: "measurements": [[COUNT]],
// CHECK: "reference_seconds": {{0\.[0-9]*[1-9]|[1-9]}}
// CHECK: "unmeasured": 0
// RECORDS-NOT: wrong-answer
// SAME: now: none
func.func @main(%a: tensor<1x64x57x57xf32>, %w: tensor<64x64x3x3xf32> {diffuse.parameter},
                %b: tensor<64xf32> {diffuse.parameter}) -> tensor<1x64x57x57xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x64x57x57xf32> to tensor<1x64x59x59xf32>
  %e = tensor.empty() : tensor<1x64x57x57xf32>
  %f = linalg.broadcast ins(%b : tensor<64xf32>) outs(%e : tensor<1x64x57x57xf32>) dimensions = [0, 2, 3]
  %c = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x64x59x59xf32>, tensor<64x64x3x3xf32>)
      outs(%f : tensor<1x64x57x57xf32>) -> tensor<1x64x57x57xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>,
      affine_map<(i, j, k, l) -> (i, j, k, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x64x57x57xf32>) outs(%e : tensor<1x64x57x57xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x64x57x57xf32>
  return %r : tensor<1x64x57x57xf32>
}
