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

#include "StagedSketch.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
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

namespace {
/// Chooses for each stage by itself; what was chosen for one sketch of a stage
/// holds wherever that sketch is a part.
class StageChooser {
public:
  StageChooser(const TargetDescription &target) : target(target) {}
  void search(const SubgraphDescriptor &descriptor, const BoundSketch &sketch);
  Best best() const {
    return fused.micros < kFusionGain * apart.micros ? fused : apart;
  }

private:
  /// A loop around all stages has to be better by this much: how fast what a
  /// cache holds comes back is known less well than the rest.
  static constexpr double kFusionGain = 0.9;

  const Choices &chooseFor(unsigned stage, const BoundSketch &part);

  const TargetDescription &target;
  Best apart, fused;
  std::map<std::pair<unsigned, std::string>, Choices> chosen;
};
} // namespace

const Choices &StageChooser::chooseFor(unsigned stage,
                                       const BoundSketch &part) {
  auto [entry, isNew] =
      chosen.try_emplace({stage, part.name().str()}, Choices());
  if (isNew)
    entry->second = defaultCandidate(part.descriptor(), target, {part}).choices;
  return entry->second;
}

void StageChooser::search(const SubgraphDescriptor &descriptor,
                          const BoundSketch &sketch) {
  const StagedSketch &staged = *sketch.get().staged;
  Choices choices;
  for (const auto &[stage, part] : llvm::enumerate(staged.whole().sketches))
    if (part)
      for (const auto &[name, value] : chooseFor(stage, *part))
        choices[stagePrefix(stage) + name] = value;
  for (const StageCut &cut : staged.cuts) {
    Choices all = choicesOfCut(staged, cut);
    all.insert(choices.begin(), choices.end());
    if (checkCandidate(descriptor, target, sketch, all))
      continue;
    double micros =
        analyticMicros(modelLoopNest(descriptor, target, sketch, all), target);
    Best &best = cut.isFused ? fused : apart;
    if (micros < best.micros * (1 - 1e-9)) {
      best.micros = micros;
      best.candidate = {sketch.name().str(), all};
    }
  }
}

Candidate diffuse::defaultCandidate(const SubgraphDescriptor &descriptor,
                                    const TargetDescription &target,
                                    llvm::ArrayRef<BoundSketch> sketches) {
  assert(!sketches.empty() && "no sketch takes the subgraph");
  Best best;
  StageChooser stages(target);
  for (const BoundSketch &sketch : sketches)
    if (sketch.get().staged)
      stages.search(descriptor, sketch);
    else
      searchSketch(descriptor, target, sketch, best);
  if (Best staged = stages.best(); staged.micros < best.micros)
    best = staged;
  // Nothing legal: the first point still instantiates.
  if (best.candidate.sketch.empty())
    best.candidate = {sketches.front().name().str(),
                      decode(sketches.front(), 0)};
  return best.candidate;
}
