// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rates are those of data sheets, rounded: no GPU was there to calibrate them.
// They rank candidates for the default schedule and are no prediction.

#include "GpuNest.h"

#include <algorithm>
#include <cmath>

using namespace diffuse;

namespace {
constexpr double kCyclesPerMicro = 1400;
constexpr double kLaunchMicros = 2;
/// Of one multiprocessor: f32 multiply-adds and bytes from L2 a cycle,
/// resident threads and blocks, registers.
constexpr double kOpsPerCycle = 64;
constexpr double kL2BytesPerCycle = 32;
constexpr double kResidentThreads = 2048;
constexpr double kResidentBlocks = 32;
constexpr double kRegisterFile = 65536;
/// Multiply-adds that one load takes the place of.
constexpr double kOpsPerLoad = 3;
/// Of the device, from memory.
constexpr double kMemoryBytesPerCycle = 1100;
/// Threads a multiprocessor needs to hide the latency of its loads.
constexpr double kBusyThreads = 512;
/// The units overlap, so the busiest one counts; the others break ties.
constexpr double kSoftness = 2;
/// Registers that addresses and counters take.
constexpr unsigned kAddressRegisters = 24;
} // namespace

/// Iterations along the loop that share a block.
static int64_t countThreads(const BoundSketch::Storage &bound,
                            const Choices &choices, unsigned loop) {
  for (const Knob &knob : bound.knobs) {
    const Dimension *dimension = bound.dimensions.find(knob.dim);
    if (knob.role == "threads" && dimension && dimension->principal == loop &&
        choices.count(knob.name))
      return choices.at(knob.name);
  }
  return 1;
}

void diffuse::modelLaunch(const BoundSketch::Storage &bound,
                          const Choices &choices, const BuiltNest &nest,
                          LoopNest &model) {
  TileExtents block = nest.tile;
  for (const ModelledLoop &loop : nest.loops) {
    if (loop.reduction) {
      block[loop.dim] = loop.extent;
      continue;
    }
    int64_t threads =
        std::min(countThreads(bound, choices, loop.dim), loop.trips());
    model.threadsPerBlock *= threads;
    model.blocks *= std::ceil(double(loop.trips()) / double(threads));
    block[loop.dim] = std::min(loop.extent, loop.step * threads);
  }
  const GpuLimits &limits = bound.target.gpu;
  double share = kRegisterFile / double(std::max<int64_t>(model.threadsPerBlock,
                                                          limits.warpSize));
  unsigned registers =
      unsigned(std::min(double(limits.registersPerThread), share));
  model.registersAvailable =
      registers > kAddressRegisters ? registers - kAddressRegisters : 1;
  double fetched = 0;
  for (const Operand &operand : nest.problem.operands)
    fetched += operand.bytes(block) * model.blocks;
  model.trafficBytes[unsigned(MemoryLevel::L2)] = fetched;
}

/// Share of the device's multiply-add units that the grid keeps busy.
static double busyShare(const LoopNest &nest, const GpuLimits &limits) {
  double warps = std::ceil(double(nest.threadsPerBlock) / limits.warpSize);
  double threads = warps * limits.warpSize;
  double registers = nest.registers + kAddressRegisters;
  double resident =
      std::floor(std::min({kResidentThreads / threads, kResidentBlocks,
                           kRegisterFile / (registers * threads)}));
  resident = std::max(resident, 1.0);
  double perWave = resident * limits.multiprocessors;
  double waves = std::ceil(nest.blocks / perWave);
  double perProcessor =
      std::min(resident, nest.blocks / limits.multiprocessors);
  double hidden = std::min(1.0, perProcessor * threads / kBusyThreads);
  double tail = waves > 1 ? nest.blocks / (waves * perWave) : 1;
  return hidden * tail * double(nest.threadsPerBlock) / threads;
}

double diffuse::launchMicros(const LoopNest &nest,
                             const TargetDescription &target) {
  double processors = target.gpu.multiprocessors;
  double ops = nest.vectorOps * (1 + nest.loadsPerOp * kOpsPerLoad);
  double compute =
      ops / (processors * kOpsPerCycle * busyShare(nest, target.gpu));
  double l2 = nest.trafficBytes[unsigned(MemoryLevel::L2)] /
              (std::min(processors, nest.blocks) * kL2BytesPerCycle);
  double memory = nest.compulsoryBytes / kMemoryBytesPerCycle;
  double sum = std::pow(compute, kSoftness) + std::pow(l2, kSoftness) +
               std::pow(memory, kSoftness);
  return kLaunchMicros + std::pow(sum, 1 / kSoftness) / kCyclesPerMicro;
}
