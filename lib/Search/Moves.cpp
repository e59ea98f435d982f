// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/Moves.h"

#include "Diffuse/Sketch/Legality.h"
#include "Diffuse/Sketch/LoopNest.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>
#include <cmath>
#include <limits>

using namespace diffuse;
using llvm::StringRef;

uint64_t diffuse::drawBelow(RandomSource &random, uint64_t bound) {
  assert(bound > 0 && "nothing to draw from");
  // std::uniform_int_distribution differs between standard libraries. The bias
  // of the remainder is below 2^-40 for the bounds that occur.
  return random() % bound;
}

const BoundSketch *diffuse::findSketch(const SearchTask &task, StringRef name) {
  for (const BoundSketch &sketch : task.sketches)
    if (sketch.name() == name)
      return &sketch;
  return nullptr;
}

bool diffuse::isLegal(const SearchTask &task, const TargetDescription &target,
                      const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  return sketch &&
         !checkCandidate(task.descriptor, target, *sketch, candidate.choices);
}

double diffuse::estimateMicros(const SearchTask &task,
                               const TargetDescription &target,
                               const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  assert(sketch && "candidate of another task");
  return analyticMicros(
      modelLoopNest(task.descriptor, target, *sketch, candidate.choices),
      target);
}

std::optional<Candidate> diffuse::drawRandom(const SearchTask &task,
                                             const TargetDescription &target,
                                             RandomSource &random,
                                             unsigned attempts) {
  if (task.sketches.empty())
    return std::nullopt;
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    const BoundSketch &sketch =
        task.sketches[drawBelow(random, task.sketches.size())];
    Candidate candidate;
    candidate.sketch = sketch.name();
    for (const Knob &knob : sketch.knobs())
      candidate.choices[knob.name] =
          knob.domain[drawBelow(random, knob.domain.size())];
    if (isLegal(task, target, candidate))
      return candidate;
  }
  return std::nullopt;
}

std::vector<Candidate> diffuse::neighboursOf(const SearchTask &task,
                                             const TargetDescription &target,
                                             const Candidate &center) {
  std::vector<Candidate> neighbours;
  const BoundSketch *sketch = findSketch(task, center.sketch);
  if (!sketch)
    return neighbours;
  for (const Knob &knob : sketch->knobs()) {
    const auto *here = llvm::find(knob.domain, center.choices.at(knob.name));
    for (int step : {-1, 1}) {
      auto index = std::distance(knob.domain.begin(), here) + step;
      if (index < 0 || index >= static_cast<ptrdiff_t>(knob.domain.size()))
        continue;
      Candidate moved = center;
      moved.choices[knob.name] = knob.domain[index];
      if (isLegal(task, target, moved))
        neighbours.push_back(std::move(moved));
    }
  }
  return neighbours;
}

/// The value of the domain nearest to `wanted` in ratio; categories (zero and
/// below) are nearest to themselves.
static int64_t nearestValue(llvm::ArrayRef<int64_t> domain, double wanted) {
  int64_t best = domain.front();
  double bestDistance = std::numeric_limits<double>::infinity();
  for (int64_t value : domain) {
    double distance = value > 0 && wanted > 0
                          ? std::abs(std::log2(value / wanted))
                          : std::abs(value - wanted);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = value;
    }
  }
  return best;
}

/// Moves `source` into the space of `task`; `scale(knob)` is applied to the
/// source's value first.
template <typename Scale>
static std::optional<Candidate> project(const SearchTask &task,
                                        const TargetDescription &target,
                                        const Candidate &source, Scale scale) {
  const BoundSketch *sketch = findSketch(task, source.sketch);
  if (!sketch)
    return std::nullopt;
  Candidate result;
  result.sketch = source.sketch;
  for (const Knob &knob : sketch->knobs()) {
    auto choice = source.choices.find(knob.name);
    if (choice == source.choices.end())
      return std::nullopt;
    result.choices[knob.name] = nearestValue(
        knob.domain, static_cast<double>(choice->second) * scale(knob));
  }
  if (!isLegal(task, target, result))
    return std::nullopt;
  return result;
}

std::optional<Candidate> diffuse::projectCopy(const SearchTask &task,
                                              const TargetDescription &target,
                                              const Candidate &source) {
  return project(task, target, source, [](const Knob &) { return 1.0; });
}

std::optional<Candidate> diffuse::projectScaled(const SearchTask &task,
                                                const TargetDescription &target,
                                                const SearchTask &sourceTask,
                                                const Candidate &source) {
  const BoundSketch *to = findSketch(task, source.sketch);
  const BoundSketch *from = findSketch(sourceTask, source.sketch);
  if (!to || !from)
    return std::nullopt;
  return project(task, target, source, [&](const Knob &knob) {
    int64_t extent = to->extentOf(knob.dim);
    int64_t sourceExtent = from->extentOf(knob.dim);
    if (extent <= 0 || sourceExtent <= 0)
      return 1.0;
    return static_cast<double>(extent) / static_cast<double>(sourceExtent);
  });
}
