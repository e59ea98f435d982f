// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observations: a clock reading costs 20 to 50 ns and an interrupt some
// microseconds, so calls are batched to 50 us; a fresh process runs its first
// milliseconds slower, so there is a warm-up; time is only ever added, so who
// reads the samples looks at the low end.

#include "Timing.h"

#include "Diffuse/Measure/Calibrate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace diffuse;

/// Shorter samples would measure the clock and the interrupts.
static constexpr double kSampleSeconds = 50e-6;
/// Time and calls after which clocks and caches have settled.
static constexpr double kWarmUpSeconds = 2e-3;
static constexpr unsigned kWarmUpCalls = 2;
/// A machine whose speed moves by more than this is unsteady, and samples are
/// taken so often to see it steady.
static constexpr double kSteadyShare = 0.05;
static constexpr unsigned kAttempts = 3;

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Six significant digits: more are noise, and records hold many samples.
static double roundSample(double micros) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", micros);
  return std::strtod(text, nullptr);
}

static double timeCalls(CandidateCall &call, uint64_t calls) {
  double begin = now();
  for (uint64_t i = 0; i < calls; ++i)
    call();
  return now() - begin;
}

/// The shortest of the warm-up calls, in seconds.
static double warmUp(CandidateCall &call, double enoughSeconds) {
  double shortest = HUGE_VAL, total = 0;
  for (unsigned calls = 0; calls < kWarmUpCalls || total < kWarmUpSeconds;
       ++calls) {
    double seconds = timeCalls(call, 1);
    shortest = std::min(shortest, seconds);
    total += seconds;
    // So far behind that a second call would not bring it back.
    if (enoughSeconds > 0 && shortest > 3 * enoughSeconds)
      break;
  }
  return std::max(shortest, 1e-9);
}

void diffuse::takeSamples(CandidateCall &call, const RepeatPolicy &policy,
                          double seconds, MeasureResult &result) {
  result.samplesMicros.clear();
  result.isDropped = false;
  double end = now() + seconds;
  double dropSeconds = policy.dropAboveMicros * 1e-6;
  double shortest = warmUp(call, dropSeconds);
  if (dropSeconds > 0 && shortest > dropSeconds) {
    result.isDropped = true;
    result.callsPerSample = 1;
    result.samplesMicros = {roundSample(shortest * 1e6)};
    return;
  }
  auto calls = static_cast<uint64_t>(std::ceil(kSampleSeconds / shortest));
  result.callsPerSample = calls;
  unsigned least = std::max(1u, policy.minRepeats);
  unsigned most = std::max(least, policy.maxRepeats);
  double total = 0, fastest = HUGE_VAL;
  double brief = policy.briefAboveMicros * 1e-6;
  while (result.samplesMicros.size() < most) {
    double sample = timeCalls(call, calls);
    total += sample;
    fastest = std::min(fastest, sample / calls);
    result.samplesMicros.push_back(
        roundSample(std::max(sample / calls, 1e-9) * 1e6));
    bool isBehind = brief > 0 && fastest > brief;
    bool isEnough = result.samplesMicros.size() >= least &&
                    (isBehind || total >= policy.minSeconds);
    if (isEnough || now() + sample > end)
      return;
  }
}

void diffuse::takeSteadySamples(CandidateCall &call, const RepeatPolicy &policy,
                                double seconds,
                                llvm::function_ref<Calibration()> look,
                                MeasureResult &result) {
  Calibration before = look();
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    takeSamples(call, policy, seconds / kAttempts, result);
    result.calibration = look();
    result.isUnsteady = hasMoved(before, result.calibration, kSteadyShare);
    if (!result.isUnsteady || result.isDropped)
      return;
    before = result.calibration;
  }
}
