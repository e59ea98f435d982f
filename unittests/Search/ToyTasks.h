// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks with a small space of two knobs, for tests of what walks spaces.

#ifndef DIFFUSE_UNITTESTS_SEARCH_TOYTASKS_H
#define DIFFUSE_UNITTESTS_SEARCH_TOYTASKS_H

#include "Diffuse/Search/SearchTask.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>

namespace diffuse {

inline constexpr llvm::StringLiteral kToySketch = R"mlir(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @toy__tensor(%func: !transform.any_op {transform.readonly})
      attributes {diffuse.sketch = {anchors = ["contraction"], elements = ["f32"], rank = 1 : i64}} {
    %a = transform.tune.knob<"a"> options = [1, 2, 4, 8, 16, 32] {diffuse.role = "cache_tile", diffuse.dim = "rows"} -> !transform.param<i64>
    %b = transform.tune.knob<"b"> options = [1, 2, 4, 8, 16] {diffuse.role = "cache_tile", diffuse.dim = "cols"} -> !transform.param<i64>
    %root = transform.structured.match attributes{diffuse.root} in %func : (!transform.any_op) -> !transform.any_op
    %tile, %loops:2 = transform.structured.fuse %root tile_sizes [%a, %b] {diffuse.walk = ["rows", "cols"], diffuse.of = "root"}
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %steps, %ks = transform.structured.tile_using_for %tile tile_sizes [1] {diffuse.walk = ["k"]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
)mlir";
inline constexpr unsigned kToyPoints = 30;

/// A square contraction of that extent.
inline SubgraphDescriptor makeContraction(int64_t extent) {
  SubgraphDescriptor descriptor;
  descriptor.name = "matmul_" + std::to_string(extent);
  descriptor.anchor = AnchorKind::Contraction;
  descriptor.anchorOp = "linalg.generic";
  descriptor.dims = {
      {DimRole::M, extent}, {DimRole::N, extent}, {DimRole::K, extent}};
  descriptor.resultDims = {0, 1};
  descriptor.rootDims = {0, 1, 2};
  descriptor.operandDims = {{0, 2}, {2, 1}, {0, 1}};
  descriptor.elementType = descriptor.accumulatorType = "f32";
  descriptor.elementBits = descriptor.accumulatorBits = 32;
  descriptor.flops = 2.0 * static_cast<double>(extent * extent * extent);
  descriptor.bytes = 12.0 * static_cast<double>(extent * extent);
  descriptor.exactHash = std::string(32, 'a');
  return descriptor;
}

/// Three tasks of one cluster, the second its representative.
struct ToyTasks : ::testing::Test {
  ToyTasks() {
    target = llvm::cantFail(parseTarget("cpu:x86-64-v3"));
    mlir::FailureOr<SketchLibrary> library =
        SketchLibrary::parse(kToySketch, "toy.mlir", &context);
    EXPECT_TRUE(mlir::succeeded(library));
    for (int64_t extent : {64, 128, 256}) {
      SearchTask task;
      task.descriptor = makeContraction(extent);
      task.isRepresentative = extent == 128;
      for (const BoundSketch &sketch : library->bind(task.descriptor, target))
        task.sketches.push_back(sketch);
      EXPECT_EQ(task.sketches.size(), 1u);
      tasks.push_back(std::move(task));
    }
  }

  /// A bowl whose bottom, 100 us, is at a = 8, b = 4 for every task.
  static double rigged(const Candidate &candidate) {
    double a = std::log2(static_cast<double>(candidate.choices.at("a")) / 8);
    double b = std::log2(static_cast<double>(candidate.choices.at("b")) / 4);
    return 100 * (1 + a * a + b * b);
  }

  mlir::MLIRContext context;
  TargetDescription target;
  std::vector<SearchTask> tasks;
};

} // namespace diffuse

#endif // DIFFUSE_UNITTESTS_SEARCH_TOYTASKS_H
