// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subgraphs of chosen extents as text, and targets with either register file.

#ifndef DIFFUSE_UNITTESTS_SKETCH_SUBGRAPHS_H
#define DIFFUSE_UNITTESTS_SKETCH_SUBGRAPHS_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "Diffuse/Sketch/SketchLibrary.h"
#include "Diffuse/Target/TargetDescription.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

namespace diffuse::test {

struct ContractionShape {
  int64_t batch = 0; // 0: no batch loop
  int64_t m = 1, n = 1, k = 1;
  bool transposed = false; // the second operand is [n][k]
  bool epilogue = true;    // bias along n, then the maximum with zero
  bool initial = false;    // sums start at an argument instead of zero
};

struct WindowShape {
  std::string op; // without "linalg."
  int64_t channels = 1, image = 1, filters = 1, window = 1, stride = 1, pad = 0;
};

/// A subgraph as diffuse-pack-layouts leaves it: channels in blocks.
struct BlockedShape {
  std::string kind;              // conv, depthwise, max or sum
  int64_t block = 1, blocks = 1; // of the result's channels
  int64_t image = 1, window = 1, stride = 1, pad = 0;
  int64_t inputBlock = 0, inputBlocks = 1; // of a convolution; 0: plain
};

/// A function with `diffuse.subgraph` in the form outlining leaves.
std::string printContraction(const ContractionShape &shape);
/// A convolution, depthwise convolution or pooling in NCHW or NHWC, with a pad
/// before and the maximum with zero after.
std::string printWindow(const WindowShape &shape);
/// The same in blocks.
std::string printBlockedWindow(const BlockedShape &shape);
/// What a pointwise convolution is in blocks, with image * image rows.
std::string printBlockedContraction(const BlockedShape &shape);
/// The sum over dimension `dim` of a [rows][cols] tensor.
std::string printReduction(int64_t rows, int64_t cols, unsigned dim);
/// x * y + x over [rows][cols].
std::string printElementwise(int64_t rows, int64_t cols);

/// A result of [a][b][c] whose elements are those of the source at `indices`,
/// some or all of them in any order: "cab" is a transpose, "ab" a broadcast.
std::string printMovement(int64_t a, int64_t b, int64_t c,
                          llvm::StringRef indices);

/// 32 registers of 512 bits, or 16 of 256.
TargetDescription wideTarget();
TargetDescription narrowTarget();

/// The schedule that the choices make of a sketch; the test fails without.
std::string printSchedule(const BoundSketch &sketch, const Choices &choices);

/// A context with everything a subgraph and a schedule need, and the library.
struct Workbench {
  Workbench();
  mlir::func::FuncOp parse(llvm::StringRef text);
  SubgraphDescriptor describe(llvm::StringRef text);
  /// The sketch of that name bound to the subgraph; the test fails without.
  BoundSketch bind(const SubgraphDescriptor &descriptor,
                   const TargetDescription &target, llvm::StringRef sketch);
  /// The one sketch of a user's file `text`, bound on wideTarget; the test
  /// fails where there is another number of them.
  BoundSketch bindOwn(const std::string &text, const std::string &subgraph);

  mlir::MLIRContext context;
  SketchLibrary library;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace diffuse::test

#endif // DIFFUSE_UNITTESTS_SKETCH_SUBGRAPHS_H
