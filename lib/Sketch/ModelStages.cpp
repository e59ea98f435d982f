// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of one iteration one after the other, as often as the loop around
// them runs. What one hands to the next is not fetched where a cache still has
// it.

#include "StagedSketch.h"

#include "Diffuse/Analysis/Work.h"

#include <algorithm>

using namespace diffuse;

/// Of a stage without a schedule, for each operation.
static constexpr double kCyclesPerPlainOp = 2;
/// Of a cache, for what stages hand on: the rest is for what they read beside.
static constexpr double kShareForLinks = 0.5;

static LoopNest modelStage(const StageCut &cut, unsigned number,
                           const TargetDescription &target,
                           const Choices &choices) {
  const std::optional<BoundSketch> &part = cut.sketches[number];
  if (part)
    return modelLoopNest(part->descriptor(), target, *part,
                         choicesOfStage(number, choices));
  LoopNest plain;
  plain.registersAvailable = target.cpu.vectorRegisters;
  plain.computeCycles = plain.vectorOps =
      cut.stages[number].flops * kCyclesPerPlainOp;
  plain.compulsoryBytes = cut.stages[number].bytes;
  return plain;
}

/// Takes `bytes` that both sides of a link count off the levels beyond caches
/// that hold them.
static void dropLinks(const TargetDescription &target, double bytes,
                      LoopNest &nest) {
  std::array<double, kMemoryLevels> caches = {
      double(target.cpu.l1Bytes), double(target.cpu.l2Bytes),
      double(target.cpu.l3Bytes) / std::max(1u, target.cpu.cores)};
  for (unsigned level = 0; level < kMemoryLevels; ++level)
    if (bytes <= std::min(kShareForLinks * caches[level], kCachedBytes))
      nest.trafficBytes[level] =
          std::max(0.0, nest.trafficBytes[level] - bytes);
}

/// Adds one stage, run `count` times. Where it `leads`, the nest is its own;
/// the sums are of all.
static void add(const LoopNest &stage, double count, bool leads,
                LoopNest &sum) {
  double vectorOps = sum.vectorOps, lanesUsed = sum.lanesUsed;
  double ops = stage.vectorOps * count;
  LoopNest before = sum;
  if (leads)
    sum = stage;
  sum.registers = std::max(before.registers, stage.registers);
  sum.unrolledOps = std::max(before.unrolledOps, stage.unrolledOps);
  sum.workspaceBytes = std::max(before.workspaceBytes, stage.workspaceBytes);
  sum.vectorOps = vectorOps + ops;
  sum.lanesUsed = (vectorOps * lanesUsed + ops * stage.lanesUsed) /
                  std::max(1.0, sum.vectorOps);
  sum.computeCycles = before.computeCycles + stage.computeCycles * count;
  sum.sideCycles = before.sideCycles + stage.sideCycles * count;
  sum.loopEntries = before.loopEntries + stage.loopEntries * count;
  for (unsigned level = 0; level < kMemoryLevels; ++level)
    sum.trafficBytes[level] =
        before.trafficBytes[level] + stage.trafficBytes[level] * count;
}

LoopNest diffuse::modelStages(const BoundSketch &sketch,
                              const Choices &choices) {
  const TargetDescription &target = sketch.target();
  const StageCut &cut = sketch.get().staged->cutOf(choices);
  LoopNest sum;
  sum.registersAvailable = target.cpu.vectorRegisters;
  double micros = 0, mostOps = -1;
  for (unsigned number = 0; number < cut.stages.size(); ++number) {
    LoopNest stage = modelStage(cut, number, target, choices);
    dropLinks(target, cut.linkBytes, stage);
    micros += analyticMicros(stage, target) * cut.count;
    bool leads = stage.vectorOps > mostOps;
    mostOps = std::max(mostOps, stage.vectorOps);
    add(stage, cut.count, leads, sum);
  }
  sum.compulsoryBytes = sketch.descriptor().bytes;
  sum.workspaceBytes += cut.linkBytes;
  // Stages run one after the other: each has a bottleneck of its own.
  sum.sideCycles +=
      std::max(0.0, micros - analyticMicros(sum, target)) * kCyclesPerMicro;
  return sum;
}
