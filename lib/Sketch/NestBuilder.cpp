// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each tiling step cuts the current tile; its loops nest inside those of the
// steps before it. The step "im2col" changes the problem: what was tiled so far
// becomes a block, and the block a contraction over
//
//   batch, filter, pixel = rows x columns of the block, patch = channel x
//   window

#include "NestBuilder.h"

#include "TileExpansion.h"

using namespace diffuse;
using namespace mlir;

static unsigned findVectorLoop(const BoundSketch::Storage &bound) {
  for (const TileStep &step : bound.sketch->steps)
    if (step.partial)
      return bound.dimensions.find(step.entries[0].dimension)->principal;
  for (StringRef name : {"cols", "inner"})
    if (const Dimension *dimension = bound.dimensions.find(name))
      return dimension->principal;
  if (!bound.descriptor.resultDims.empty()) {
    for (unsigned loop : llvm::reverse(bound.descriptor.resultDims))
      if (bound.descriptor.dims[loop].extent != 1)
        return loop;
    return bound.descriptor.resultDims.back();
  }
  return 0;
}

static NestProblem makeProblem(const BoundSketch::Storage &bound) {
  NestProblem problem;
  problem.extents = getExtents(bound.descriptor);
  for (const DimInfo &dim : bound.descriptor.dims)
    problem.reduction.push_back(isReduction(dim.role));
  problem.operands = describeOperands(bound.descriptor);
  problem.vectorLoop = findVectorLoop(bound);
  return problem;
}

/// Adds the loops of one positional tiling and shrinks the tile.
static void addLoops(const PositionalTiling &tiling, ArrayRef<unsigned> loops,
                     BuiltNest &nest) {
  for (unsigned i = 0; i < tiling.sizes.size(); ++i) {
    unsigned position =
        tiling.interchange.empty() ? i : unsigned(tiling.interchange[i]);
    if (position >= tiling.sizes.size() || tiling.sizes[position] == 0)
      continue;
    unsigned loop = loops[position];
    int64_t &extent = nest.tile[loop];
    int64_t step = std::min(tiling.sizes[position], extent);
    if (step < extent)
      nest.loops.push_back({loop, extent, step, nest.problem.reduction[loop]});
    extent = step;
  }
}

/// The block as a contraction; its loops are numbered after the anchor's.
static void enterPatches(const BoundSketch::Storage &bound, BuiltNest &nest) {
  NestProblem &problem = nest.problem;
  unsigned first = problem.extents.size();
  auto tileOf = [&](StringRef name) {
    const Dimension *dimension = bound.dimensions.find(name);
    return dimension ? nest.tile[dimension->principal] : 1;
  };
  int64_t patch = bound.dimensions.extent("channel") *
                  bound.dimensions.extent("window0") *
                  bound.dimensions.extent("window1");
  int64_t pixel = tileOf("image0") * tileOf("image1");
  int64_t rows = bound.dimensions.extent("image0");
  nest.blockPatches = double(patch) * pixel;
  nest.allPatches =
      double(patch) * rows * bound.dimensions.extent("image1") *
      bound.dimensions.extent("batch") *
      double((bound.dimensions.extent("filter") + tileOf("filter") - 1) /
             tileOf("filter"));
  nest.patchesInRows = tileOf("image0") == 1;
  nest.imageWidth = bound.dimensions.extent("image1");
  // The image is read while patches are written; inside the block the
  // contraction reads patches.
  TileExtents block = {1, tileOf("filter"), pixel, patch};
  llvm::fill(nest.tile, 1);
  for (int64_t extent : block) {
    problem.extents.push_back(extent);
    nest.tile.push_back(extent);
  }
  for (bool reduction : {false, false, false, true})
    problem.reduction.push_back(reduction);
  unsigned bytes = problem.operands.back().elementBytes;
  auto operand = [&](ArrayRef<unsigned> loops, bool isOutput) {
    Operand result;
    result.elementBytes = bytes;
    result.isOutput = isOutput;
    for (unsigned loop : loops)
      result.dims.push_back({first + loop, -1, 1, 1});
    return result;
  };
  problem.operands = {operand({1, 3}, false), operand({2, 3}, false),
                      operand({1, 2}, true)};
  problem.vectorLoop = first + 2;
}

BuiltNest diffuse::buildNest(const BoundSketch::Storage &bound,
                             const Choices &choices) {
  BuiltNest nest;
  nest.problem = makeProblem(bound);
  nest.tile = nest.problem.extents;
  unsigned anchorLoops = nest.tile.size();
  for (const TileStep &step : bound.sketch->steps) {
    if (!step.isMade(choices))
      continue;
    if (step.of != "im2col") {
      SmallVector<unsigned> loops = getLoopsOf(bound.descriptor, step.of);
      addLoops(expandTiling(step, loops, bound, choices), loops, nest);
      continue;
    }
    if (nest.tile.size() == anchorLoops)
      enterPatches(bound, nest);
    SmallVector<unsigned> loops;
    for (unsigned i = 0; i < step.entries.size(); ++i)
      loops.push_back(anchorLoops + i);
    addLoops(placeTiling(step, bound, choices), loops, nest);
  }
  return nest;
}
