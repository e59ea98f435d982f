// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the register tiles of a nest cost, full ones and the rests at the edges.

#ifndef DIFFUSE_LIB_SKETCH_TILEWORK_H
#define DIFFUSE_LIB_SKETCH_TILEWORK_H

#include "NestBuilder.h"

namespace diffuse {

/// Register tiles as the reduction meets them.
struct TileLoops {
  llvm::ArrayRef<int64_t> tile;
  unsigned lanes = 1;
  /// Reduction steps of one tile.
  double steps = 1;
  /// The innermost loop carries the partial results.
  bool carried = false;
  /// Runs of the reduction, between which tiles are in memory.
  double panels = 1;
};

/// Sums over all tiles of a problem.
struct TileWork {
  double cycles = 0;
  double vectorOps = 0;
  /// Of the vector operations, those in full tiles.
  double fullOps = 0;
};

TileWork countTileWork(const NestProblem &problem, const TileLoops &loops);

/// Loads of one reduction step for a tile of `widths`, vectors counted along
/// the vector loop.
double countLoads(const NestProblem &problem, llvm::ArrayRef<int64_t> widths);

/// Partial results of such a tile.
double countResults(const NestProblem &problem, llvm::ArrayRef<int64_t> widths);

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_TILEWORK_H
