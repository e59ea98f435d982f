// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/CostModel.h"

#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/LoopNest.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace diffuse;

/// Knobs of a sketch without model that a row holds.
static constexpr size_t kPlainKnobs = 12;
static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

CostModel::~CostModel() = default;

/// Nothing is known of the loops, so the knobs have to speak for themselves:
/// which sketch it is, and the logarithm of each value.
static FeatureRow plainFeatures(const SearchTask &task,
                                const BoundSketch &sketch,
                                const Choices &choices) {
  FeatureRow row(featureNames().size() + 1, kMissing);
  auto found = llvm::find_if(task.sketches, [&](const BoundSketch &other) {
    return other.name() == sketch.name();
  });
  row.push_back(double(found - task.sketches.begin()));
  for (const Knob &knob : sketch.knobs().take_front(kPlainKnobs)) {
    auto choice = choices.find(knob.name);
    double value = choice == choices.end() ? kMissing : double(choice->second);
    row.push_back(std::copysign(std::log2(1 + std::abs(value)), value));
  }
  row.resize(featureNames().size() + 2 + kPlainKnobs, kMissing);
  return row;
}

FeatureRow diffuse::costFeatures(const SearchTask &task,
                                 const TargetDescription &target,
                                 const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  assert(sketch && "candidate of another task");
  if (!sketch->isModelled())
    return plainFeatures(task, *sketch, candidate.choices);
  LoopNest nest =
      modelLoopNest(task.descriptor, target, *sketch, candidate.choices);
  FeatureRow row = features(nest, target);
  double nanos = 1000 * analyticMicros(nest, target);
  row.push_back(
      std::log2(std::max(nanos, 1e-3) / std::max(task.descriptor.flops, 1.0)));
  row.resize(row.size() + 1 + kPlainKnobs, kMissing);
  return row;
}
