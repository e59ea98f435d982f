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
  /// Loops of more than one iteration, outermost first. A sketch that writes
  /// patches out has loops over filters, pixels and patches after those of the
  /// descriptor's: their `dim` is the number of dims plus 1, 2 and 3.
  llvm::SmallVector<ModelledLoop> loops;
  /// Extents of the innermost tile, by the same numbers.
  llvm::SmallVector<int64_t> innermostTile;
  /// Bytes of all operands that the innermost tile touches.
  double tileBytes = 0;
  /// Vector registers that hold partial results across the innermost loop.
  unsigned accumulators = 0;
  /// Accumulators plus what the operands of one step need.
  unsigned registers = 0;
  unsigned registersAvailable = 16;
  /// Vector multiply-adds (or additions, maxima, ...) executed.
  double vectorOps = 0;
  /// Vector and broadcast loads by one of them, in a full tile.
  double loadsPerOp = 0;
  /// Cycles of one core for these, were every operand in L1.
  double computeCycles = 0;
  /// Share of the lanes of the vectors that carry elements, 0 to 1.
  double lanesUsed = 1;
  /// Share of the iterations in partial tiles, 0 to 1.
  double edgeShare = 0;
  /// Bytes touched by one run of the reduction loops innermost in the nest,
  /// and inside one iteration of the outermost loop.
  double panelBytes = 0, blockBytes = 0;
  /// Bytes that each level hands to the one above it.
  std::array<double, kMemoryLevels> trafficBytes{};
  /// Bytes of inputs and results, once each.
  double compulsoryBytes = 0;
  /// Times an innermost loop is entered.
  double loopEntries = 0;
  /// Iterations of the innermost loop.
  double innermostTrips = 1;
  /// Temporaries: padded inputs, patches, blocks of partial results.
  double workspaceBytes = 0;
  /// Vector operations in the straight-line code of the innermost body.
  double unrolledOps = 0;
  /// Cycles for work beside the anchor's: pads, patches, epilogue.
  double sideCycles = 0;
  /// Tile over extent along the vectors, and of all other parallel loops.
  double vectorShare = 1, rowShare = 1;
  /// Of the launch, on a GPU.
  int64_t threadsPerBlock = 1;
  double blocks = 1;
};

/// Cycles of a core in a microsecond, as all estimates assume.
inline constexpr double kCyclesPerMicro = 3000;

/// Models the nest of `choices`, which must be inside the knobs' domains.
LoopNest modelLoopNest(const SubgraphDescriptor &descriptor,
                       const TargetDescription &target,
                       const BoundSketch &sketch, const Choices &choices);

/// Estimated time of one call: the largest of the time in the vector units and
/// the time in each memory level, plus an overhead per loop entry. Ratios
/// between candidates of one subgraph are what it is good for.
double analyticMicros(const LoopNest &nest, const TargetDescription &target);

/// A guess of the time of one call where no tiling says what the loops are: as
/// of a fair schedule, twice what the vector units or the memory take at least.
double unmodelledMicros(const SubgraphDescriptor &descriptor,
                        const TargetDescription &target);

/// Scale-free coordinates of a candidate (logarithms of ratios, shares), the
/// same length and meaning for every sketch and subgraph.
std::vector<double> features(const LoopNest &nest,
                             const TargetDescription &target);
/// What each entry of `features` is.
llvm::ArrayRef<llvm::StringLiteral> featureNames();

} // namespace diffuse

#endif // DIFFUSE_SKETCH_LOOPNEST_H
