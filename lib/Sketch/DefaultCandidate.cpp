// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spaces are small enough to be looked at whole, as a rule; a larger one is
// walked with a fixed stride, so the result depends on nothing but its inputs.
// A stride that shares a factor with the size of a knob's domain would meet
// only some of its values, so it shares none.

#include "Diffuse/Sketch/DefaultCandidate.h"

#include "Diffuse/Sketch/Legality.h"
#include "Diffuse/Sketch/LoopNest.h"
#include "Diffuse/Sketch/Space.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

using namespace diffuse;

/// Candidates looked at for one sketch.
static constexpr uint64_t kMaxCandidates = 20000;

/// Knobs that are not open count too: some points come up several times.
static double productOfDomains(const BoundSketch &sketch) {
  double size = 1;
  for (const Knob &knob : sketch.knobs())
    size *= double(knob.domain.size());
  return size;
}

/// The candidate of that number, the first knob varying fastest.
static Choices decode(const BoundSketch &sketch, uint64_t number) {
  Choices choices;
  for (const Knob &knob : sketch.knobs()) {
    choices[knob.name] = knob.domain[number % knob.domain.size()];
    number /= knob.domain.size();
  }
  return completeChoices(sketch, choices);
}

/// The least stride that takes at most kMaxCandidates steps through the space
/// and meets every value of every knob.
static uint64_t strideThrough(const BoundSketch &sketch) {
  auto stride =
      uint64_t(std::ceil(productOfDomains(sketch) / double(kMaxCandidates)));
  auto isAliased = [&](const Knob &knob) {
    return std::gcd(stride, uint64_t(knob.domain.size())) != 1;
  };
  while (llvm::any_of(sketch.knobs(), isAliased))
    ++stride;
  return stride;
}

namespace {
struct Best {
  double micros = std::numeric_limits<double>::infinity();
  Candidate candidate;
};
} // namespace

static void searchSketch(const SubgraphDescriptor &descriptor,
                         const TargetDescription &target,
                         const BoundSketch &sketch, Best &best) {
  if (!sketch.isModelled())
    return;
  double size = productOfDomains(sketch);
  uint64_t stride = strideThrough(sketch);
  for (uint64_t number = 0; double(number) < size; number += stride) {
    Choices choices = decode(sketch, number);
    if (checkCandidate(descriptor, target, sketch, choices))
      continue;
    double micros = analyticMicros(
        modelLoopNest(descriptor, target, sketch, choices), target);
    // Differences below rounding are ties, which the earlier one wins.
    if (micros < best.micros * (1 - 1e-9)) {
      best.micros = micros;
      best.candidate = {sketch.name().str(), choices};
    }
  }
}

Candidate diffuse::defaultCandidate(const SubgraphDescriptor &descriptor,
                                    const TargetDescription &target,
                                    llvm::ArrayRef<BoundSketch> sketches) {
  assert(!sketches.empty() && "no sketch takes the subgraph");
  Best best;
  for (const BoundSketch &sketch : sketches)
    searchSketch(descriptor, target, sketch, best);
  // Nothing legal: the first point still instantiates.
  if (best.candidate.sketch.empty())
    best.candidate = {sketches.front().name().str(),
                      decode(sketches.front(), 0)};
  return best.candidate;
}
