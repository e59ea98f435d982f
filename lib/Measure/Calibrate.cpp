// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chain is bound by the latency of one multiplication and one addition, so
// it takes the same time whatever the compiler makes of it. The copy is larger
// than the caches of a core and smaller than what all of them share: it slows
// down when a neighbour streams.

#include "Diffuse/Measure/Calibrate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

using namespace diffuse;

static constexpr unsigned kRounds = 3;
static constexpr unsigned kChainLength = 50000;
static constexpr size_t kCopyBytes = 4 << 20;

/// Microseconds of the shortest of a few runs.
template <typename Kernel> static double shortestMicros(Kernel kernel) {
  using namespace std::chrono;
  double shortest = HUGE_VAL;
  for (unsigned round = 0; round < kRounds; ++round) {
    auto begin = steady_clock::now();
    kernel();
    duration<double, std::micro> taken = steady_clock::now() - begin;
    shortest = std::min(shortest, taken.count());
  }
  return shortest;
}

Calibrator::Calibrator() : source(kCopyBytes, 1), target(kCopyBytes, 2) {}

Calibration Calibrator::run() {
  // What the kernels compute is stored where the compiler must assume a reader.
  volatile uint64_t sink = 1;
  Calibration speed;
  speed.computeMicros = shortestMicros([&] {
    uint64_t value = sink;
    for (unsigned i = 0; i < kChainLength; ++i)
      value = value * 6364136223846793005u + 1442695040888963407u;
    sink = value;
  });
  speed.copyMicros = shortestMicros([&] {
    std::memcpy(target.data(), source.data(), kCopyBytes);
    sink = target[sink % kCopyBytes];
  });
  return speed;
}

bool diffuse::hasMoved(const Calibration &before, const Calibration &after,
                       double share) {
  auto moved = [&](double one, double other) {
    return std::max(one, other) > (1 + share) * std::min(one, other);
  };
  return moved(before.computeMicros, after.computeMicros) ||
         moved(before.copyMicros, after.copyMicros);
}
