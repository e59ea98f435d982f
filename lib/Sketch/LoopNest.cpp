// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts over a built nest. The register tile is what the innermost loops
// leave: its vectors run along one loop, the other parallel loops are its rows,
// and each step of the reduction loads the operands' parts once.
//
// Traffic follows the usual rule: the operands of the largest inner nest that
// fits a cache are fetched once for each iteration of the loops around it, but
// an operand that the loop right around it does not walk stays.

#include "Diffuse/Sketch/LoopNest.h"

#include "GpuNest.h"
#include "NestBuilder.h"
#include "StagedSketch.h"
#include "TileWork.h"

using namespace diffuse;

/// With a large register file LLVM loads operands ahead of their use. (A tile
/// of 13 rows of two vectors leaves room for three loads, and LLVM 22 spills
/// two of its 26 sums in each step; it runs at half to nine tenths the speed of
/// one of 12 rows.)
static constexpr double kRegistersAhead = 4;
/// To go on to other contiguous elements, by shuffles and address arithmetic.
static constexpr double kCyclesPerRun = 1.5;
/// To add up the lanes of a vector.
static constexpr double kCyclesPerLaneSum = 6;

static double totalBytes(const NestProblem &problem,
                         llvm::ArrayRef<int64_t> tile) {
  double bytes = 0;
  for (const Operand &operand : problem.operands)
    bytes += operand.bytes(tile);
  return bytes;
}

/// Tiles inside the first `depth` loops of the nest.
static TileExtents tileBelow(const BuiltNest &nest, unsigned depth) {
  TileExtents tile = nest.problem.extents;
  for (const ModelledLoop &loop : llvm::ArrayRef(nest.loops).take_front(depth))
    if (loop.dim < tile.size())
      tile[loop.dim] = loop.step;
  return tile;
}

static double countTraffic(const BuiltNest &nest, double cacheBytes) {
  unsigned depth = 0;
  while (depth < nest.loops.size() &&
         totalBytes(nest.problem, tileBelow(nest, depth)) > cacheBytes)
    ++depth;
  TileExtents tile = tileBelow(nest, depth);
  double traffic = 0;
  for (const Operand &operand : nest.problem.operands) {
    double bytes = operand.bytes(tile) * (operand.isOutput ? 2 : 1);
    bool evicted = false;
    for (unsigned i = depth; i-- > 0;) {
      const ModelledLoop &loop = nest.loops[i];
      evicted |= operand.walks(loop.dim);
      if (evicted)
        bytes *= double(loop.extent) / double(loop.step);
    }
    traffic += bytes;
  }
  return traffic;
}

/// A movement computes nothing: what it costs is how often either side starts
/// on another run of contiguous elements.
static double countRunCycles(const BuiltNest &nest) {
  const NestProblem &problem = nest.problem;
  double iterations = 1;
  for (int64_t extent : problem.extents)
    iterations *= double(extent);
  double cycles = 0;
  for (const Operand &operand : problem.operands) {
    auto contiguous =
        llvm::find_if(llvm::reverse(operand.dims), [&](const OperandDim &d) {
          return problem.extents[d.loop] != 1;
        });
    if (contiguous != operand.dims.rend())
      cycles += iterations / double(nest.tile[contiguous->loop]);
  }
  return cycles * kCyclesPerRun;
}

/// Work that does not depend on the register tile.
static void countSides(const SubgraphDescriptor &descriptor,
                       const BuiltNest &nest, LoopNest &model) {
  llvm::SmallVector<Operand> operands = describeOperands(descriptor);
  TileExtents extents = getExtents(descriptor);
  double results = operands.back().bytes(extents);
  model.compulsoryBytes = descriptor.bytes;
  // A vector load and store each 64 bytes, for each op beside the anchor.
  model.sideCycles +=
      results / 32 * (descriptor.epilogueOps + descriptor.prologueOps);
  if (descriptor.anchor == AnchorKind::Movement)
    model.sideCycles += countRunCycles(nest);
  if (descriptor.hasPad) {
    model.workspaceBytes += operands.front().bytes(extents);
    model.sideCycles += operands.front().bytes(extents) / 16;
  }
  unsigned bytes = operands.back().elementBytes;
  model.workspaceBytes += nest.blockPatches * bytes;
  // Rows are copied as vectors; across rows each element's place is computed.
  model.sideCycles += nest.allPatches * 0.5;
  if (!nest.patchesInRows)
    model.sideCycles += nest.allPatches * 12 / double(nest.imageWidth);
}

static void countLoops(const BuiltNest &nest, LoopNest &model) {
  double entries = 1;
  bool reductions = true;
  TileExtents panel = nest.tile;
  for (unsigned i = nest.loops.size(); i-- > 0;) {
    const ModelledLoop &loop = nest.loops[i];
    reductions &= loop.reduction;
    if (reductions)
      panel[loop.dim] = loop.extent;
    if (i + 1 < nest.loops.size())
      entries *= double(loop.trips());
  }
  model.loopEntries = entries;
  model.innermostTrips =
      nest.loops.empty() ? 1 : double(nest.loops.back().trips());
  model.panelBytes = totalBytes(nest.problem, panel);
  model.blockBytes =
      totalBytes(nest.problem, tileBelow(nest, nest.loops.empty() ? 0 : 1));
}

static void countShares(const BuiltNest &nest, LoopNest &model) {
  const NestProblem &problem = nest.problem;
  for (unsigned loop = 0; loop < nest.tile.size(); ++loop) {
    double share = double(nest.tile[loop]) / double(problem.extents[loop]);
    if (loop == problem.vectorLoop)
      model.vectorShare *= share;
    else if (!problem.reduction[loop])
      model.rowShare *= share;
  }
}

static void countRegisters(const BuiltNest &nest, unsigned lanes,
                           LoopNest &model) {
  TileExtents widths = nest.tile;
  unsigned vectorLoop = nest.problem.vectorLoop;
  widths[vectorLoop] = ceilDiv(widths[vectorLoop], lanes);
  double results = countResults(nest.problem, widths);
  double held = 1; // the operand that is broadcast
  for (const Operand &operand : nest.problem.operands)
    if (!operand.isOutput && operand.walks(vectorLoop)) {
      double parts = 1;
      for (unsigned loop = 0; loop < widths.size(); ++loop)
        if (!nest.problem.reduction[loop] && operand.walks(loop))
          parts *= double(widths[loop]);
      held += std::min(parts, results);
    }
  if (model.registersAvailable > 16)
    held += kRegistersAhead;
  model.accumulators = unsigned(std::min(results, 1e6));
  model.registers = unsigned(std::min(results + held, 1e6));
  model.loadsPerOp = countLoads(nest.problem, widths) / results;
  model.unrolledOps = results;
  for (unsigned loop = 0; loop < widths.size(); ++loop)
    if (nest.problem.reduction[loop])
      model.unrolledOps *= double(widths[loop]);
}

/// How often the problem is solved: once, or for each block of patches.
static double countBlocks(const SubgraphDescriptor &descriptor,
                          const BuiltNest &nest) {
  double blocks = 1;
  if (nest.problem.extents.size() > descriptor.dims.size())
    for (const ModelledLoop &loop : nest.loops)
      if (loop.dim < descriptor.dims.size())
        blocks *= double(loop.extent) / double(loop.step);
  return blocks;
}

/// How often a register tile's partial results go to memory and come back: once
/// for each iteration of a reduction loop that has a parallel loop inside.
static double countPanels(const BuiltNest &nest) {
  double panels = 1;
  bool parallelInside = false;
  for (const ModelledLoop &loop : llvm::reverse(nest.loops)) {
    parallelInside |= !loop.reduction;
    if (loop.reduction && parallelInside)
      panels *= double(loop.trips());
  }
  return panels;
}

static void countWork(const SubgraphDescriptor &descriptor,
                      const BuiltNest &nest, unsigned lanes, LoopNest &model) {
  // Loops outside a block of patches are counted as blocks.
  NestProblem problem = nest.problem;
  bool patches = problem.extents.size() > descriptor.dims.size();
  for (unsigned loop = 0; patches && loop < descriptor.dims.size(); ++loop)
    problem.extents[loop] = 1;
  llvm::ArrayRef<int64_t> tile = nest.tile;
  double steps = 1;
  for (unsigned loop = 0; loop < tile.size(); ++loop)
    if (problem.reduction[loop])
      steps *= double(loop == problem.vectorLoop
                          ? ceilDiv(problem.extents[loop], lanes)
                          : problem.extents[loop]);
  bool carried = !nest.loops.empty() && nest.loops.back().reduction;
  TileWork work =
      countTileWork(problem, {tile, lanes, steps, carried, countPanels(nest)});
  double blocks = countBlocks(descriptor, nest);
  model.computeCycles = work.cycles * blocks;
  model.vectorOps = work.vectorOps * blocks;
  if (problem.reduction[problem.vectorLoop])
    model.sideCycles += work.vectorOps / steps * kCyclesPerLaneSum;
  model.edgeShare = 1 - work.fullOps / std::max(work.vectorOps, 1.0);
  double iterations = 1;
  for (int64_t extent : problem.extents)
    iterations *= double(extent);
  model.lanesUsed = iterations / (work.vectorOps * lanes);
}

LoopNest diffuse::modelLoopNest(const SubgraphDescriptor &descriptor,
                                const TargetDescription &target,
                                const BoundSketch &sketch,
                                const Choices &choices) {
  if (sketch.get().staged)
    return modelStages(sketch, choices);
  BuiltNest nest = buildNest(sketch.get(), choices);
  // The registers of a thread hold one element each.
  unsigned lanes = target.isGpu()
                       ? 1
                       : std::max(1u, target.lanes(descriptor.accumulatorBits));
  LoopNest model;
  model.loops = nest.loops;
  model.innermostTile = nest.tile;
  model.registersAvailable = target.cpu.vectorRegisters;
  model.tileBytes = totalBytes(nest.problem, nest.tile);
  countRegisters(nest, lanes, model);
  countWork(descriptor, nest, lanes, model);
  countShares(nest, model);
  countLoops(nest, model);
  countSides(descriptor, nest, model);
  std::array<double, kMemoryLevels> caches = {
      0.75 * target.cpu.l1Bytes, 0.75 * target.cpu.l2Bytes,
      0.75 * target.cpu.l3Bytes / std::max(1u, target.cpu.cores)};
  for (unsigned level = 0; level < kMemoryLevels; ++level)
    model.trafficBytes[level] = countTraffic(nest, caches[level]);
  if (target.isGpu())
    modelLaunch(sketch.get(), choices, nest, model);
  return model;
}
