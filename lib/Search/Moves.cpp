// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/Moves.h"

#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Legality.h"
#include "Diffuse/Sketch/LoopNest.h"
#include "Diffuse/Sketch/Space.h"

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

static const BoundSketch *findIn(llvm::ArrayRef<BoundSketch> sketches,
                                 StringRef name) {
  for (const BoundSketch &sketch : sketches)
    if (sketch.name() == name)
      return &sketch;
  return nullptr;
}

const BoundSketch *diffuse::findSketch(const SearchTask &task, StringRef name) {
  if (const BoundSketch *sketch = findIn(task.sketches, name))
    return sketch;
  if (task.defaultSketches)
    if (const BoundSketch *sketch = findIn(*task.defaultSketches, name))
      return sketch;
  return findIn(task.recordedSketches, name);
}

bool diffuse::isSearched(const SearchTask &task, StringRef name) {
  return findIn(task.sketches, name);
}

std::optional<Candidate> diffuse::defaultOf(const SearchTask &task,
                                            const TargetDescription &target) {
  llvm::ArrayRef<BoundSketch> sketches =
      task.defaultSketches ? llvm::ArrayRef(*task.defaultSketches)
                           : llvm::ArrayRef(task.sketches);
  if (sketches.empty())
    return std::nullopt;
  return defaultCandidate(task.descriptor, target, sketches);
}

bool diffuse::isKnown(const SearchTask &task, const TargetDescription &target,
                      const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  return sketch &&
         !checkCandidate(task.descriptor, target, *sketch, candidate.choices);
}

bool diffuse::isLegal(const SearchTask &task, const TargetDescription &target,
                      const Candidate &candidate) {
  return isSearched(task, candidate.sketch) && isKnown(task, target, candidate);
}

double diffuse::estimateMicros(const SearchTask &task,
                               const TargetDescription &target,
                               const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  assert(sketch && "candidate of another task");
  if (!sketch->isModelled())
    return unmodelledMicros(task.descriptor, target);
  return analyticMicros(
      modelLoopNest(task.descriptor, target, *sketch, candidate.choices),
      target);
}

static Choices drawChoices(const BoundSketch &sketch, RandomSource &random) {
  return makeChoices(sketch, [&](const Knob &knob) {
    return knob.domain[drawBelow(random, knob.domain.size())];
  });
}

/// Draws for each stage of a composed sketch by itself: what is legal is a
/// small part of the choices for one, and a vanishing one of those for all.
static void redrawParts(const BoundSketch &sketch,
                        const TargetDescription &target, RandomSource &random,
                        unsigned attempts, Choices &choices) {
  for (const SketchPart &part : sketch.parts()) {
    Choices own;
    for (unsigned attempt = 0; attempt < attempts; ++attempt) {
      own = drawChoices(part.sketch, random);
      if (!checkCandidate(part.sketch.descriptor(), target, part.sketch, own))
        break;
    }
    for (const Knob &knob : part.sketch.knobs())
      choices.erase(part.prefix + knob.name);
    for (const auto &[name, value] : own)
      choices[part.prefix + name] = value;
  }
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
    candidate.choices = drawChoices(sketch, random);
    redrawParts(sketch, target, random, attempts, candidate.choices);
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
    auto choice = center.choices.find(knob.name);
    if (choice == center.choices.end())
      continue;
    const auto *here = llvm::find(knob.domain, choice->second);
    for (int step : {-1, 1}) {
      auto index = std::distance(knob.domain.begin(), here) + step;
      if (index < 0 || index >= static_cast<ptrdiff_t>(knob.domain.size()))
        continue;
      Candidate moved = center;
      moved.choices[knob.name] = knob.domain[index];
      moved.choices = completeChoices(*sketch, moved.choices);
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
  bool isComplete = true;
  result.choices = makeChoices(*sketch, [&](const Knob &knob) {
    auto choice = source.choices.find(knob.name);
    // Inside alternatives that the source did not take there is nothing to go
    // by.
    if (choice == source.choices.end()) {
      isComplete &= !knob.guards.empty();
      return knob.domain.front();
    }
    return nearestValue(knob.domain,
                        static_cast<double>(choice->second) * scale(knob));
  });
  if (!isComplete || !isLegal(task, target, result))
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
