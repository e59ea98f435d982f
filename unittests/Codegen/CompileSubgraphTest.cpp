// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompileAndLoad.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace diffuse;
using namespace diffuse::test;

static constexpr char kMatmul[] = R"mlir(
func.func private @mm(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>,
    %d: tensor<64x32xf32> {diffuse.destination}) -> tensor<64x32xf32>
    attributes {diffuse.subgraph, no_inline} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>)
    outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  %m = bufferization.materialize_in_destination %r in %d
    : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %m : tensor<64x32xf32>
})mlir";

static constexpr char kMatmulSchedule[] = R"mlir(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @mm__tensor(%f: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %f : (!transform.any_op) -> !transform.any_op
    %a4, %lk0, %ljr, %lir = transform.structured.tile_using_for %mm tile_sizes [8, 16, 24] interchange = [2, 1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %pd, %padop, %cp = transform.structured.pad %a4 {padding_values=[0.0 : f32, 0.0 : f32, 0.0 : f32], padding_dimensions=[0, 1, 2], nofold_flags=[0, 1, 0], copy_back_op = "none"} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %pb = transform.get_producer_of_operand %pd[1] : (!transform.any_op) -> !transform.any_op
    %hb = transform.structured.hoist_pad %pb by 2 loops : (!transform.any_op) -> !transform.any_op
    %hbt, %lhb = transform.structured.tile_using_for %hb tile_sizes [4, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %hbt vector_sizes [4, 16] : !transform.any_op
    %a5, %lk = transform.structured.tile_using_for %pd tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %a5 {create_named_contraction} : !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    } : !transform.any_op
    transform.apply_cse to %f : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %f : (!transform.any_op) -> !transform.any_op
    transform.foreach %loops : !transform.any_op {
    ^bb0(%l: !transform.any_op):
      transform.loop.hoist_loop_invariant_subsets %l : !transform.any_op
    }
    transform.apply_patterns to %f {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
})mlir";

namespace {
/// a[i][k] = i + k mod 5, b[k][j] = k - j mod 3; every product is exact.
struct MatmulData {
  std::vector<float> a, b, result;
  MatmulData() : a(64 * 48), b(48 * 32), result(64 * 32, NAN) {
    for (int i = 0; i < 64; ++i)
      for (int k = 0; k < 48; ++k)
        a[i * 48 + k] = (i + k) % 5;
    for (int k = 0; k < 48; ++k)
      for (int j = 0; j < 32; ++j)
        b[k * 32 + j] = (k + 2 * j) % 3;
  }
  void check() const {
    for (int i = 0; i < 64; ++i)
      for (int j = 0; j < 32; ++j) {
        float sum = 0;
        for (int k = 0; k < 48; ++k)
          sum += a[i * 48 + k] * b[k * 32 + j];
        ASSERT_EQ(result[i * 32 + j], sum) << i << " " << j;
      }
  }
};
} // namespace

TEST(CompileSubgraph, UnscheduledMatmul) {
  Compilation compilation;
  auto object = compilation.compile(kMatmul);
  ASSERT_TRUE(mlir::succeeded(object)) << compilation.diagnostics;
  EXPECT_EQ(object->workspaceBytes, 0u);
  MatmulData data;
  LoadedFunction function(*object);
  function.run({data.a.data(), data.b.data(), data.result.data()});
  data.check();
}

TEST(CompileSubgraph, ScheduledMatmul) {
  Compilation compilation;
  auto object = compilation.compile(kMatmul, kMatmulSchedule, "mm__tensor");
  ASSERT_TRUE(mlir::succeeded(object)) << compilation.diagnostics;
  MatmulData data;
  LoadedFunction function(*object);
  function.run({data.a.data(), data.b.data(), data.result.data()});
  data.check();
}

TEST(CompileSubgraph, SameInputSameBytes) {
  Compilation first, second;
  auto a = first.compile(kMatmul, kMatmulSchedule, "mm__tensor");
  auto b = second.compile(kMatmul, kMatmulSchedule, "mm__tensor");
  ASSERT_TRUE(mlir::succeeded(a) && mlir::succeeded(b));
  EXPECT_EQ(a->object, b->object);
}

TEST(CompileSubgraphErrors, AScheduleWithoutItsTensorPartIsNone) {
  Compilation compilation;
  auto object = compilation.compile(kMatmul, kMatmulSchedule, "absent__tensor");
  EXPECT_TRUE(mlir::failed(object));
  EXPECT_NE(compilation.diagnostics.find("there is no sequence "
                                         "'absent__tensor' to schedule"),
            std::string::npos)
      << compilation.diagnostics;
}
