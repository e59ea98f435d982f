// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a tiling by dimension names to one by loop positions.

#ifndef DIFFUSE_LIB_SKETCH_TILEEXPANSION_H
#define DIFFUSE_LIB_SKETCH_TILEEXPANSION_H

#include "SketchTemplate.h"

namespace diffuse {

/// Tile sizes by loop, trailing zeros dropped, and a permutation of the loops.
struct PositionalTiling {
  llvm::SmallVector<int64_t> sizes;
  /// Empty when the loops nest as they are numbered.
  llvm::SmallVector<int64_t> interchange;
  /// For each entry of the step: the position of its principal loop, or -1.
  llvm::SmallVector<int> entryLoops;

  /// Among the loops that the tiling makes, outermost first, the number of the
  /// one at position `loop`.
  unsigned resultOf(int loop) const;
};

/// The loops a step may be stated over, by the value of `diffuse.of`: the
/// anchor's (the default), the root's, or one loop a dimension of the result.
llvm::SmallVector<unsigned> getLoopsOf(const SubgraphDescriptor &descriptor,
                                       llvm::StringRef of);

/// Evaluates `step` for the choices; sizes beyond an extent become the extent.
PositionalTiling expandTiling(const TileStep &step,
                              llvm::ArrayRef<unsigned> loops,
                              const BoundSketch::Storage &bound,
                              const Choices &choices);

/// The same for a view whose loops the entries name one by one ("im2col").
PositionalTiling placeTiling(const TileStep &step,
                             const BoundSketch::Storage &bound,
                             const Choices &choices);

/// Replaces a fuse or tile_using_for op that states its sizes by names. Fails
/// with an error at `op`.
mlir::LogicalResult expandTileOp(mlir::Operation *op,
                                 const BoundSketch::Storage &bound,
                                 const Choices &choices);

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_TILEEXPANSION_H
