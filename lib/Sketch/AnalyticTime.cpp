// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time and features of a modelled nest. The units of a core overlap, so the
// time is near that of the busiest one; a soft maximum keeps the others
// visible, which breaks ties the way the machine does.

#include "Diffuse/Sketch/LoopNest.h"

#include "GpuNest.h"

#include "Diffuse/Target/TargetDescription.h"

#include <algorithm>
#include <cmath>

using namespace diffuse;

namespace {
constexpr double kCyclesPerEntry = 4;
/// Bytes a cycle from L2, from L3 and from memory.
constexpr double kBytesPerCycle[kMemoryLevels] = {32, 12, 5};
/// Cycles that one spilled register costs in each innermost iteration.
constexpr double kCyclesPerSpill = 4;
constexpr double kSoftness = 4;
} // namespace

static double countSpills(const LoopNest &nest) {
  return nest.registers > nest.registersAvailable
             ? nest.registers - nest.registersAvailable
             : 0;
}

double diffuse::analyticMicros(const LoopNest &nest,
                               const TargetDescription &target) {
  if (target.isGpu())
    return launchMicros(nest, target);
  double spillCycles = 0;
  if (nest.accumulators)
    spillCycles = nest.vectorOps / nest.accumulators * countSpills(nest) *
                  kCyclesPerSpill;
  double sum = std::pow(nest.computeCycles + spillCycles, kSoftness);
  for (unsigned level = 0; level < kMemoryLevels; ++level)
    sum +=
        std::pow(nest.trafficBytes[level] / kBytesPerCycle[level], kSoftness);
  double cycles = std::pow(sum, 1 / kSoftness) + nest.sideCycles +
                  nest.loopEntries * kCyclesPerEntry;
  return cycles / kCyclesPerMicro;
}

double diffuse::unmodelledMicros(const SubgraphDescriptor &descriptor,
                                 const TargetDescription &target) {
  constexpr double kOpsPerCycle = 2, kAboveTheBound = 2;
  double lanes = std::max(1u, target.lanes(descriptor.accumulatorBits));
  double compute = descriptor.flops / 2 / lanes / kOpsPerCycle;
  double memory =
      descriptor.bytes / kBytesPerCycle[unsigned(MemoryLevel::Memory)];
  return kAboveTheBound * std::max({compute, memory, 1.0}) / kCyclesPerMicro;
}

static constexpr llvm::StringLiteral kFeatureNames[] = {
    "accumulators_per_register",
    "spilled_registers",
    "loads_per_op",
    "lanes_used",
    "edge_share",
    "log2_panel_per_l1",
    "log2_block_per_l2",
    "log2_l2_traffic",
    "log2_l3_traffic",
    "log2_memory_traffic",
    "log2_trips",
    "log2_ops_per_entry",
    "log2_unrolled_ops",
    "log2_vector_share",
    "log2_row_share",
    "side_share"};

llvm::ArrayRef<llvm::StringLiteral> diffuse::featureNames() {
  return kFeatureNames;
}

static double ratio(double a, double b) {
  return std::log2(std::max(a, 1e-9) / std::max(b, 1e-9));
}

std::vector<double> diffuse::features(const LoopNest &nest,
                                      const TargetDescription &target) {
  double registers = std::max(1u, nest.registersAvailable);
  double bytes = std::max(nest.compulsoryBytes, 1.0);
  return {nest.accumulators / registers,
          countSpills(nest) / registers,
          nest.loadsPerOp,
          nest.lanesUsed,
          nest.edgeShare,
          ratio(nest.panelBytes, double(target.cpu.l1Bytes)),
          ratio(nest.blockBytes, double(target.cpu.l2Bytes)),
          ratio(nest.trafficBytes[0], bytes),
          ratio(nest.trafficBytes[1], bytes),
          ratio(nest.trafficBytes[2], bytes),
          ratio(nest.innermostTrips, 1),
          ratio(nest.vectorOps, nest.loopEntries),
          ratio(nest.unrolledOps, 1),
          ratio(nest.vectorShare, 1),
          ratio(nest.rowShare, 1),
          nest.sideCycles / (nest.sideCycles + nest.computeCycles + 1)};
}
