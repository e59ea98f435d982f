// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a candidate's loops look like, computed from descriptor, choices and
// target in microseconds and without IR, so that thousands of candidates can
// be ranked between two measurements.

#ifndef DIFFUSE_SKETCH_LOOPNEST_H
#define DIFFUSE_SKETCH_LOOPNEST_H

#include "Diffuse/Sketch/SketchLibrary.h"
#include <array>
#include <vector>

namespace diffuse {

/// One loop that a tiling of the sketch makes.
struct ModelledLoop {
  /// Number of the dimension in the descriptor.
  unsigned dim = 0;
  /// Of the range that the loop cuts, and of one step.
  int64_t extent = 1;
  int64_t step = 1;
  bool reduction = false;

  /// Iterations, the partial one at the end included.
  int64_t trips() const { return step ? (extent + step - 1) / step : 1; }
};

/// The memory levels that bytes are counted for: into L1 from L2, into L2 from
/// L3, into L3 from memory.
enum class MemoryLevel : unsigned { L2, L3, Memory };
inline constexpr unsigned kMemoryLevels = 3;

/// The nest of one candidate. Counts are of one call of the subgraph.
struct LoopNest {
  /// Outermost first.
  llvm::SmallVector<ModelledLoop> loops;
  /// Extents of the innermost tile by dimension of the descriptor.
  llvm::SmallVector<int64_t> innermostTile;
  /// Elements of the tiles one body of the innermost loops touches, in bytes.
  int64_t tileBytes = 0;
  /// Vector registers that hold partial results across the innermost loop.
  unsigned accumulators = 0;
  /// Accumulators plus those that the operands of one step need.
  unsigned registers = 0;
  unsigned registersAvailable = 16;
  /// Vector multiply-adds (or adds, maxima, ...) executed, edges as padded.
  double vectorOps = 0;
  /// Vector or broadcast loads and stores executed, spills not counted.
  double memoryOps = 0;
  double loadsPerOp = 0;
  /// Share of lanes of the vectors that carry elements, 0 to 1.
  double lanesUsed = 1;
  /// Share of the iteration space in partial tiles, 0 to 1.
  double edgeShare = 0;
  /// Bytes of the operands that the loops inside the outermost tile, and the
  /// innermost reduction loops, touch.
  double blockBytes = 0, panelBytes = 0;
  /// Bytes moved through each level's upper side.
  std::array<double, kMemoryLevels> trafficBytes{};
  /// Times a loop is entered: each costs some cycles.
  double loopEntries = 0;
  /// Temporaries the schedule makes outside the caches of one tile.
  int64_t workspaceBytes = 0;
  /// Vector operations in the straight-line code of the innermost body.
  double unrolledOps = 0;
  /// Scalar element operations outside the anchor (epilogue, packing).
  double sideOps = 0;
};

/// Models the nest of `choices`, which must be inside the knobs' domains.
LoopNest modelLoopNest(const SubgraphDescriptor &descriptor,
                       const TargetDescription &target,
                       const BoundSketch &sketch, const Choices &choices);

/// Estimated time of one call: the largest of the time in the vector units and
/// the time in each memory level, plus an overhead per loop entry. Ratios
/// between candidates of one subgraph are what it is good for.
double analyticMicros(const LoopNest &nest, const TargetDescription &target);

/// Scale-free coordinates of a candidate (logarithms of ratios, shares), the
/// same length and meaning for every sketch and subgraph.
std::vector<double> features(const LoopNest &nest,
                             const TargetDescription &target);
/// What each entry of `features` is.
llvm::ArrayRef<llvm::StringLiteral> featureNames();

} // namespace diffuse

#endif // DIFFUSE_SKETCH_LOOPNEST_H
