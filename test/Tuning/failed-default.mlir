// A subgraph whose default schedule failed is lowered to plain loops wherever a
// default schedule would be taken, and the mark is checked.

// RUN: sed -e s/MARK// %s > %t.plain.mlir
// RUN: sed -e 's/MARK/, diffuse.default_failed = "wrong-answer"/' %s > %t.failed.mlir
// RUN: diffuse-opt %t.failed.mlir --diffuse-verify-module -o /dev/null
// RUN: diffuse-compile %t.plain.mlir --schedules=none --emit=llvm -o %t.none.ll
// RUN: diffuse-compile %t.plain.mlir --schedules=default --emit=llvm -o %t.default.ll
// RUN: not cmp -s %t.none.ll %t.default.ll
// RUN: diffuse-compile %t.failed.mlir --schedules=default --emit=llvm -o %t.failed-default.ll
// RUN: diffuse-compile %t.failed.mlir --schedules=tuned --emit=llvm -o %t.failed-tuned.ll
// RUN: cmp %t.none.ll %t.failed-default.ll
// RUN: cmp %t.none.ll %t.failed-tuned.ll

// Tuning again forgets the mark where the default schedule passes.
// RUN: diffuse-tune %t.failed.mlir --measurer=fake --budget=4 --records=none --progress=none -o - \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// AGAIN-NOT: diffuse.default_failed
// AGAIN: diffuse.schedule = @diffuse_schedules::@sub__tensor
// AGAIN-NOT: diffuse.default_failed

// Where nothing else runs, plain loops are an error.
// RUN: not diffuse-opt %t.failed.mlir --diffuse-lower-to-nvvm 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: the default schedule of subgraph 'sub' failed (wrong-answer) when it was tuned, and nvidia:sm_80 does not run plain loops; tune it again

// RUN: sed -e 's/MARK/, diffuse.default_failed = "unmeasurable"/' %s > %t.other.mlir
// RUN: not diffuse-opt %t.other.mlir --diffuse-verify-module 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: expected 'diffuse.default_failed' to be the kind of a failure, but it is "unmeasurable"

func.func @main(%a: tensor<64x96xf32>, %b: tensor<96x96xf32>) -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %0 = call @sub(%a, %b, %e) : (tensor<64x96xf32>, tensor<96x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %0 : tensor<64x96xf32>
}
func.func private @sub(%a: tensor<64x96xf32>, %b: tensor<96x96xf32>, %d: tensor<64x96xf32> {diffuse.destination}) -> tensor<64x96xf32>
    attributes {diffuse.subgraph, no_inlineMARK} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r = linalg.generic {diffuse.anchor, diffuse.root,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x96xf32>, tensor<96x96xf32>) outs(%f : tensor<64x96xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x96xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %m : tensor<64x96xf32>
}
