// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times scatter around the prediction of the request, so that a search has
// something to find, and are drawn from a hash, so that order does not matter.

#include "Diffuse/Measure/FakeMeasurer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace diffuse;

namespace {
/// Numbers that depend on a seed and a candidate alone.
class Dice {
public:
  Dice(uint64_t seed, StableHash candidate) : seed(seed), hash(candidate) {}

  /// In (0, 1).
  double uniform(uint64_t which) const {
    StableHash drawn = StableHasher()
                           .addUnsigned(seed)
                           .addHash(hash)
                           .addUnsigned(which)
                           .finish();
    return (static_cast<double>(drawn.low >> 11) + 0.5) * std::ldexp(1.0, -53);
  }

  /// Mean 0, standard deviation 1 (Box and Muller).
  double normal(uint64_t which) const {
    double radius = std::sqrt(-2 * std::log(uniform(2 * which)));
    return radius * std::cos(2 * M_PI * uniform(2 * which + 1));
  }

private:
  uint64_t seed;
  StableHash hash;
};
} // namespace

/// Six digits, so that last bits of a math library do not show.
static double roundMicros(double micros) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", std::max(micros, 1e-3));
  return std::strtod(text, nullptr);
}

static MeasureResult failed(FailureKind failure, const char *message,
                            double error) {
  MeasureResult result;
  result.failure = failure;
  result.message = message;
  result.maxRelativeError = error;
  return result;
}

static MeasureResult rigResult(const FakeOptions &options,
                               const MeasureRequest &request) {
  Dice dice(options.seed, request.identity.key());
  double fate = dice.uniform(0);
  if (fate < options.crashShare)
    return failed(FailureKind::RunCrash, "rigged to crash", 0);
  if (fate < options.crashShare + options.wrongShare)
    return failed(FailureKind::WrongAnswer, "rigged to be wrong", 1);
  MeasureResult result;
  if (request.checkOnly)
    return result;
  double predicted = request.predictedMicros;
  if (predicted <= 0)
    predicted =
        100 *
        std::exp(Dice(options.seed, request.identity.scope.key()).normal(1));
  double micros = predicted * std::exp(options.spread * dice.normal(1));
  double limit = request.repeats.dropAboveMicros;
  result.isDropped = limit > 0 && micros > limit;
  result.callsPerSample = 1;
  unsigned count =
      result.isDropped ? 1 : std::max(1u, request.repeats.minRepeats);
  for (unsigned i = 0; i < count; ++i)
    result.samplesMicros.push_back(roundMicros(
        micros * std::exp(options.noise * std::fabs(dice.normal(2 + i)))));
  return result;
}

FakeMeasurer::FakeMeasurer(const FakeOptions &options)
    : rig([options](const MeasureRequest &request) {
        return rigResult(options, request);
      }) {}
