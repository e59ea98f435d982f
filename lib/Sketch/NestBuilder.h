// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that a sketch's tilings make, as numbers.

#ifndef DIFFUSE_LIB_SKETCH_NESTBUILDER_H
#define DIFFUSE_LIB_SKETCH_NESTBUILDER_H

#include "Diffuse/Sketch/LoopNest.h"
#include "Operands.h"
#include "SketchTemplate.h"

namespace diffuse {

/// The problem that the innermost loops solve: the subgraph itself or, once
/// patches are written out, the contraction of filters with patches.
struct NestProblem {
  TileExtents extents;
  llvm::SmallVector<bool> reduction;
  llvm::SmallVector<Operand> operands;
  /// The loop that vectors run along.
  unsigned vectorLoop = 0;
};

struct BuiltNest {
  NestProblem problem;
  /// Outermost first; loops of one iteration are left out.
  llvm::SmallVector<ModelledLoop> loops;
  /// Extents of the innermost tile.
  TileExtents tile;
  /// Elements of the patches written out for one block, and for all blocks.
  double blockPatches = 0, allPatches = 0;
  /// A block of patches lies in one row of the image.
  bool patchesInRows = true;
  int64_t imageWidth = 1;
};

BuiltNest buildNest(const BoundSketch::Storage &bound, const Choices &choices);

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_NESTBUILDER_H
